package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.ConsistencyContract;

final class InMemoryConsistencyTest extends ConsistencyContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ConsistencyContract;

final class InMemoryConsistencyTest extends ConsistencyContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

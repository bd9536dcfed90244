package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.LeasesContract;

final class InMemoryLeasesTest extends LeasesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.LeasesContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryLeasesTest extends LeasesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

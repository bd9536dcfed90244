package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.LeasesContract;

final class InMemoryLeasesTest extends LeasesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

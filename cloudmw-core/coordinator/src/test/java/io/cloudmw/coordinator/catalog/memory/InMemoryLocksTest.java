package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.LocksContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryLocksTest extends LocksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

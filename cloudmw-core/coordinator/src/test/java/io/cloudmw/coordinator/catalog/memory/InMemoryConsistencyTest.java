package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ConsistencyContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryConsistencyTest extends ConsistencyContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

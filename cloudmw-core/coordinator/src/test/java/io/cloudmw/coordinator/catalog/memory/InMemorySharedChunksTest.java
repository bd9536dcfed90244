package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SharedChunksContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemorySharedChunksTest extends SharedChunksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SharedChunksContract;

final class InMemorySharedChunksTest extends SharedChunksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

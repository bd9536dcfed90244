package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.PacksContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryPacksTest extends PacksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

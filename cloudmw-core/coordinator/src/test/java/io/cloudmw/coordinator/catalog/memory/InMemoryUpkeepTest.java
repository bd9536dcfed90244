package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.UpkeepContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryUpkeepTest extends UpkeepContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.UpkeepContract;

final class InMemoryUpkeepTest extends UpkeepContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

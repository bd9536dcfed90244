package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.FleetBoardContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryFleetBoardTest extends FleetBoardContract {
    @Override
    protected Catalog open() {
        return InMemoryCatalog.shared();
    }
}

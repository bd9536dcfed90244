package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.FleetBoardContract;

final class InMemoryFleetBoardTest extends FleetBoardContract {
    @Override
    protected Catalog open() {
        return InMemoryCatalog.shared();
    }
}

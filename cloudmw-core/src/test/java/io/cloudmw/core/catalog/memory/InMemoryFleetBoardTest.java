package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.FleetBoardContract;

final class InMemoryFleetBoardTest extends FleetBoardContract {
    @Override
    protected Catalog open() {
        return InMemoryCatalog.shared();
    }
}

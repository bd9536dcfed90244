package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.FleetReportsContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryFleetReportsTest extends FleetReportsContract {
    @Override
    protected Catalog open() {
        return InMemoryCatalog.shared();
    }
}

package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SnapshotsContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemorySnapshotsTest extends SnapshotsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SnapshotsContract;

final class InMemorySnapshotsTest extends SnapshotsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.BackupContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryBackupTest extends BackupContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }

    @Override
    protected Catalog openAnother() {
        return new InMemoryCatalog();
    }
}

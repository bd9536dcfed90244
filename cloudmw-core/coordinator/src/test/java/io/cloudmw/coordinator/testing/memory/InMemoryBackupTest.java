package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.BackupContract;

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

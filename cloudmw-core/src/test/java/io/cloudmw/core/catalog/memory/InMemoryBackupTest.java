package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.BackupContract;

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

package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.SnapshotsContract;

final class InMemorySnapshotsTest extends SnapshotsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

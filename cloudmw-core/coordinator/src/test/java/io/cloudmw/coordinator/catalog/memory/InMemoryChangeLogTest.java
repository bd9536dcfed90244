package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangeLogContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryChangeLogTest extends ChangeLogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

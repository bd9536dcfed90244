package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangeLogContract;

final class InMemoryChangeLogTest extends ChangeLogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

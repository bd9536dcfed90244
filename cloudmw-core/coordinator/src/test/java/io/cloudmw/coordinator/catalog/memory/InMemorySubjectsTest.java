package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.SubjectsContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemorySubjectsTest extends SubjectsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

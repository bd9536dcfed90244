package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.NotesContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryNotesTest extends NotesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

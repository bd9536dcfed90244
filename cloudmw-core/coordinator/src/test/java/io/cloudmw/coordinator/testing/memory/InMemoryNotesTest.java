package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.NotesContract;

final class InMemoryNotesTest extends NotesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

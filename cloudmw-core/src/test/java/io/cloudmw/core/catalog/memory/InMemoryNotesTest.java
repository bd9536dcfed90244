package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.NotesContract;

final class InMemoryNotesTest extends NotesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

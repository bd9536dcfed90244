package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.ChangeLogContract;

final class InMemoryChangeLogTest extends ChangeLogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

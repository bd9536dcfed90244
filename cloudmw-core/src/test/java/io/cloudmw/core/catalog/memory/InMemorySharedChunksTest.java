package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.SharedChunksContract;

final class InMemorySharedChunksTest extends SharedChunksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

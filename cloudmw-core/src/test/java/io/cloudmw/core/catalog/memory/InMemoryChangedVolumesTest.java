package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.ChangedVolumesContract;

final class InMemoryChangedVolumesTest extends ChangedVolumesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

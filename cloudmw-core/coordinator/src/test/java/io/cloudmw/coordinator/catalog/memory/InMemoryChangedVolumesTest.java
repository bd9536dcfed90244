package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangedVolumesContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryChangedVolumesTest extends ChangedVolumesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

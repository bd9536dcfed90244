package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.ChangedVolumesContract;

final class InMemoryChangedVolumesTest extends ChangedVolumesContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

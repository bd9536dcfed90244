package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.CompactedPacksContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryCompactedPacksTest extends CompactedPacksContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

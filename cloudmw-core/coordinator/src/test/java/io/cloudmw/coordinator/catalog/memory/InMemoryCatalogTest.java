package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.CatalogContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryCatalogTest extends CatalogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.CatalogContract;

final class InMemoryCatalogTest extends CatalogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

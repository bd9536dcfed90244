package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.CatalogContract;

final class InMemoryCatalogTest extends CatalogContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

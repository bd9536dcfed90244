package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.UpkeepContract;

final class InMemoryUpkeepTest extends UpkeepContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

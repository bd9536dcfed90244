package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.testing.catalog.AppliedCallsContract;

final class InMemoryAppliedCallsTest extends AppliedCallsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

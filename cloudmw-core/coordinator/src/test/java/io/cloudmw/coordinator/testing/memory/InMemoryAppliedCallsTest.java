package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.AppliedCallsContract;

final class InMemoryAppliedCallsTest extends AppliedCallsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

package io.cloudmw.coordinator.catalog.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.catalog.AppliedCallsContract;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;

final class InMemoryAppliedCallsTest extends AppliedCallsContract {
    @Override
    protected Catalog open() {
        return new InMemoryCatalog();
    }
}

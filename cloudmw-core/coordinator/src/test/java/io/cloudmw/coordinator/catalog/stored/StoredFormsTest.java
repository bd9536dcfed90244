package io.cloudmw.coordinator.catalog.stored;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import org.junit.jupiter.api.Test;

final class StoredFormsTest {
    @Test
    void lostStoreKeepsItsTime() throws Exception {
        Store lost = new Store(new StoreId("a"), "eu", new Store.S3("b", "eu", "", false, "")).lost(9);
        assertThat(StoredForms.store(StoredForms.store(lost))).isEqualTo(lost);
    }
}

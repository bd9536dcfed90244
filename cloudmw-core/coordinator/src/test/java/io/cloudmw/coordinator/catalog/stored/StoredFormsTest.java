package io.cloudmw.coordinator.catalog.stored;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class StoredFormsTest {
    @Test
    void lostStoreKeepsItsTime() throws Exception {
        Store lost = new Store(new StoreId("a"), "eu", new Store.S3("b", "eu", "", false, "")).lost(9);
        assertThat(StoredForms.store(StoredForms.store(lost))).isEqualTo(lost);
    }

    @Test
    void storeKeepsItsEncryption() throws Exception {
        Store encrypted = new Store(new StoreId("a"), "eu", new Store.S3("b", "eu", "", false, ""))
                .with(BucketEncryption.kms("arn:aws:kms:eu:123456789012:key/k", true));
        assertThat(StoredForms.store(StoredForms.store(encrypted))).isEqualTo(encrypted);
    }

    /** The bytes that a release without encryption of buckets has stored. */
    @Test
    void storeOfAnEarlierReleaseIsReadAsOneWithoutEncryption() throws Exception {
        byte[] before = HexFormat.of().parseHex("0a0161120265751a070a016212026575");
        Store known = StoredForms.store(before);
        assertThat(known).isEqualTo(new Store(new StoreId("a"), "eu", new Store.S3("b", "eu", "", false, "")));
        assertThat(StoredForms.store(known)).as("written as before").isEqualTo(before);
    }
}

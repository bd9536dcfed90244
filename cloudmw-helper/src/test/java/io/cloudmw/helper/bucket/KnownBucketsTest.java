package io.cloudmw.helper.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class KnownBucketsTest {
    private static final Store BUCKET =
            new Store(new StoreId("b"), "region", new Store.S3("bucket", "eu-west-1", "", false, ""));
    private static final CredentialsReference PROFILE = new CredentialsReference.Profile("p");

    private static Store opened(Store known, Store named) {
        List<Store> opened = new ArrayList<>();
        try (BucketWatch watch = new BucketWatch(
                "helper",
                () -> List.of(known),
                BucketProbe.none(),
                Duration.ofHours(1),
                Ticker.system(),
                new SplittableRandom())) {
            KnownBuckets buckets = new KnownBuckets(watch, store -> {
                opened.add(store);
                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "only asked");
            });
            assertThat(catchThrowable(() -> buckets.open(named))).hasMessageContaining("only asked");
        }
        return opened.get(0);
    }

    @Test
    void bucketHasTheClustersCredentialsAndTheNamedIdentity() {
        StoreIdentity before = StoreIdentity.random("c");
        StoreIdentity replaced = StoreIdentity.random("c").replacedAt(7);
        Store known = BUCKET.with(PROFILE).with(before);
        assertThat(opened(known, BUCKET.with(replaced)))
                .isEqualTo(BUCKET.with(PROFILE).with(replaced));
        assertThat(opened(known, BUCKET)).as("from before it had one").isEqualTo(known);
    }

    @Test
    void bucketHasTheClustersEncryptionWhateverThePlanSays() {
        BucketEncryption kms = BucketEncryption.kms("arn:aws:kms:eu-west-1:123456789012:key/k", true);
        Store known = BUCKET.with(PROFILE).with(kms);
        assertThat(opened(known, BUCKET)).as("an older plan").isEqualTo(known);
        assertThat(opened(known, BUCKET.with(kms))).isEqualTo(known);
        assertThat(opened(BUCKET, BUCKET.with(kms)))
                .as("no longer encrypted so")
                .isEqualTo(BUCKET);
    }

    @Test
    void bucketThatTheClusterDoesNotKnowIsEncryptedAsNamed() {
        Store named = new Store(new StoreId("new"), "region", BUCKET.kind()).with(BucketEncryption.AES256);
        assertThat(opened(BUCKET, named.with(PROFILE))).isEqualTo(named);
    }

    @Test
    void bucketAtAnotherPlaceIsOpenedAsNamed() {
        Store elsewhere = new Store(BUCKET.id(), "region", new Store.S3("other", "eu-west-1", "", false, "", PROFILE));
        assertThat(opened(BUCKET.with(PROFILE), elsewhere)).isEqualTo(elsewhere.withoutCredentials());
    }
}

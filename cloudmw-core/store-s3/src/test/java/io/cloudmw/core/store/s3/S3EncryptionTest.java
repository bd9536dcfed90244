package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.testing.store.Chunks;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the encryption at rest: each request asks for it, and the check of a store requires it. */
final class S3EncryptionTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String KEY = "arn:aws:kms:us-east-1:123456789012:key/k1";
    private static final BucketEncryption KMS = BucketEncryption.kms(KEY, true);
    private static final Map<String, String> KMS_HEADERS =
            Map.of("", "aws:kms", "-aws-kms-key-id", KEY, "-bucket-key-enabled", "true");

    private final S3Stores stores = S3Stores.open(S3Settings.DEFAULT, "chain", "secret");
    private ScriptedBucket bucket;

    @BeforeEach
    void start() throws IOException {
        bucket = new ScriptedBucket();
    }

    @AfterEach
    void stop() {
        stores.close();
        bucket.close();
    }

    private Store store(BucketEncryption encryption) {
        return new Store(new StoreId("s"), "z", new Store.S3("bucket", "us-east-1", bucket.endpoint(), true, "p/"))
                .with(encryption);
    }

    private StoreFault fault(BucketEncryption encryption) throws CloudMwException {
        ProbeReport report = stores.probe(store(encryption), LONG);
        assertThat(bucket.objects()).as("left behind").isEmpty();
        assertThat(report.fault()).isPresent();
        assertThat(report.fault().get().kind()).isEqualTo(StoreFault.Kind.DENIED);
        return report.fault().get();
    }

    @Test
    void eachObjectIsPutWithTheEncryptionOfItsStore() throws Exception {
        ChunkId chunk = Chunks.id();
        for (Map.Entry<BucketEncryption, Map<String, String>> expected : Map.of(
                        BucketEncryption.NONE,
                        Map.<String, String>of(),
                        BucketEncryption.AES256,
                        Map.of("", "AES256"),
                        BucketEncryption.kms("", false),
                        Map.of("", "aws:kms"),
                        BucketEncryption.kms(KEY, false),
                        Map.of("", "aws:kms", "-aws-kms-key-id", KEY),
                        KMS,
                        KMS_HEADERS)
                .entrySet()) {
            try (ScriptedBucket fresh = new ScriptedBucket();
                    S3Stores connections = S3Stores.open(S3Settings.DEFAULT, "chain", "secret")) {
                Store store = new Store(
                                new StoreId("s"),
                                "z",
                                new Store.S3("bucket", "us-east-1", fresh.endpoint(), true, "p/"))
                        .with(expected.getKey());
                try (ChunkStore opened = connections.open(store)) {
                    boolean asked = opened.takesArrivingSources();
                    assertThat(opened.put(chunk, Chunks.source(new byte[10])))
                            .as("asked %s", asked)
                            .isEqualTo(PutOutcome.WRITTEN);
                }
                BucketMarker marker = new BucketMarker(store.id(), StoreIdentity.random("c"));
                assertThat(connections.markers().write(store, marker, false)).isTrue();
                assertThat(connections.probe(store, LONG).fault()).isEmpty();
                assertThat(fresh.encryptions().keySet())
                        .as("a question about trailers, a chunk, a marker, a check")
                        .hasSize(4)
                        .contains("p/cloudmw-store.json");
                assertThat(fresh.encryptions().values()).containsOnly(expected.getValue());
            }
        }
    }

    @Test
    void storeThatIgnoresTheEncryptionIsRefused() throws Exception {
        bucket.confirm(Map.of());
        assertThat(fault(KMS).reason())
                .isEqualTo("an object was to be encrypted with aws:kms with key " + KEY
                        + " and a bucket key, but the store ignores it and names no encryption (use a store that encrypts"
                        + " so, or another --sse)");
        assertThat(fault(BucketEncryption.AES256).reason()).contains("with AES256, but the store ignores it");
        assertThat(stores.probe(store(BucketEncryption.NONE), LONG).fault()).isEmpty();
    }

    @Test
    void storeThatEncryptsOtherwiseIsRefused() throws Exception {
        bucket.confirm(Map.of("", "AES256"));
        assertThat(fault(KMS).reason()).contains("but the store encrypts with AES256");
        bucket.confirm(Map.of("", "aws:kms", "-bucket-key-enabled", "true"));
        assertThat(fault(KMS).reason()).contains("but the store encrypts with a key that it does not name");
        bucket.confirm(Map.of("", "aws:kms", "-aws-kms-key-id", KEY + "1", "-bucket-key-enabled", "true"));
        assertThat(fault(KMS).reason()).contains("but the store encrypts with key " + KEY + "1");
        bucket.confirm(Map.of("", "aws:kms", "-aws-kms-key-id", KEY));
        assertThat(fault(KMS).reason()).contains("but the store uses no bucket key");
        assertThat(stores.probe(store(BucketEncryption.kms(KEY, false)), LONG).fault())
                .isEmpty();
    }

    @Test
    void keyThatCannotBeUsedIsNamed() throws Exception {
        bucket.refuse("PUT", 400, "KMS.NotFoundException", "Key \'" + KEY + "\' does not exist", Map.of());
        assertThat(fault(KMS).reason())
                .isEqualTo("KMS key " + KEY + " cannot be used: 400 KMS.NotFoundException Key \'" + KEY
                        + "\' does not exist");
        bucket.refuse("PUT", 400, "KMS.DisabledException", "", Map.of());
        assertThat(fault(BucketEncryption.kms("", false)).reason())
                .isEqualTo("KMS key aws/s3 of the account cannot be used: 400 KMS.DisabledException");
        try (ChunkStore opened = stores.open(store(KMS))) {
            CloudMwException refused = catchThrowableOfType(
                    CloudMwException.class, () -> opened.put(Chunks.id(), Chunks.source(new byte[10])));
            assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(refused.verdict()).isEqualTo(RetryVerdict.NEVER);
            assertThat(refused).hasMessageContaining("KMS.DisabledException", "cloudmw store set");
        }
    }

    @Test
    void keyThatIsAskedTooOftenIsNoFaultOfSettings() throws Exception {
        bucket.refuse("LIST", 400, "KMS.ThrottlingException", "slow down", Map.of());
        assertThat(stores.look(store(KMS), LONG))
                .hasValueSatisfying(fault -> assertThat(fault.kind()).isEqualTo(StoreFault.Kind.UNREACHABLE));
    }

    @Test
    void missingPermissionForTheKeyIsNamed() throws Exception {
        String denied = "User: arn:aws:iam::123456789012:role/r is not authorized to perform: kms:GenerateDataKey on"
                + " resource: " + KEY;
        bucket.refuse("PUT", 403, "AccessDenied", denied, Map.of());
        assertThat(fault(KMS).reason()).contains("may not kms:GenerateDataKey with KMS key " + KEY + ", or are wrong");
        bucket.refuse("PUT", 403, "AccessDenied", "Access Denied", Map.of());
        assertThat(fault(KMS).reason())
                .contains("may not s3:PutObject, or kms:GenerateDataKey with KMS key " + KEY + ", or are wrong");
        assertThat(fault(BucketEncryption.AES256).reason()).contains("may not s3:PutObject, or are wrong");
    }

    @Test
    void missingPermissionToDecryptIsNamed() throws Exception {
        bucket.refuse("GET", 403, "AccessDenied", "Access Denied", Map.of());
        assertThat(fault(KMS).reason()).contains("may not s3:GetObject, or kms:Decrypt with KMS key " + KEY);
    }
}

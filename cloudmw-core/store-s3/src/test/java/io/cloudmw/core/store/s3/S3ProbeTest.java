package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the line that each fault of a bucket has. */
final class S3ProbeTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final S3Stores stores = S3Stores.open(S3Settings.DEFAULT, "chain", "secret");

    @TempDir
    private Path directory;

    private ScriptedBucket bucket;

    @BeforeEach
    void start() throws IOException {
        bucket = new ScriptedBucket();
    }

    @AfterEach
    void stop() {
        thread.shutdownNow();
        stores.close();
        bucket.close();
    }

    private Store store(String endpoint, CredentialsReference reference) {
        return new Store(new StoreId("s"), "z", new Store.S3("bucket", "us-east-1", endpoint, true, "p/", reference));
    }

    private ProbeReport probe() throws CloudMwException {
        return stores.probe(store(bucket.endpoint(), CredentialsReference.chain()), LONG);
    }

    private void assertFault(ProbeReport report, StoreFault.Kind kind, String reason) {
        assertThat(report.fault()).hasValueSatisfying(fault -> {
            assertThat(fault.kind()).as(fault.reason()).isEqualTo(kind);
            assertThat(fault.reason()).contains(reason).doesNotContain("\n");
        });
        assertThat(bucket.objects().keySet()).as("left behind").noneMatch(key -> key.startsWith("p/cloudmw-probe"));
    }

    @Test
    void suitableBucketPassesTheCheckAndHasNoObjectLeft() throws Exception {
        ProbeReport report = probe();
        assertThat(report.fault()).isEmpty();
        assertThat(report.latencyMicros()).isPositive();
        assertThat(report.clockAheadMillis()).isZero();
        assertThat(bucket.objects()).isEmpty();
        assertThat(bucket.requests().stream().map(line -> line.substring(0, line.indexOf(' '))))
                .containsExactly("GET", "PUT", "PUT", "GET", "GET", "DELETE");
    }

    @Test
    void missingBucketIsReportedAsMissing() throws Exception {
        bucket.refuse("LIST", 404, "NoSuchBucket", "", Map.of());
        assertFault(probe(), StoreFault.Kind.MISSING, "there is no bucket bucket at " + bucket.endpoint());
    }

    @Test
    void aWrongRegionNamesTheRightOne() throws Exception {
        bucket.refuse("LIST", 301, "PermanentRedirect", "", Map.of("x-amz-bucket-region", "eu-west-3"));
        assertFault(probe(), StoreFault.Kind.DENIED, "region us-east-1 is wrong, it is eu-west-3");
        String malformed =
                "the authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-north-1'";
        bucket.refuse("LIST", 400, "AuthorizationHeaderMalformed", malformed, Map.of());
        assertFault(probe(), StoreFault.Kind.DENIED, "region us-east-1 is wrong, it is eu-north-1");
        bucket.refuse("LIST", 403, "AccessDenied", "", Map.of("x-amz-bucket-region", "eu-west-3"));
        assertFault(probe(), StoreFault.Kind.DENIED, "region us-east-1 is wrong, it is eu-west-3");
        bucket.refuse("LIST", 503, "SlowDown", "", Map.of("x-amz-bucket-region", "eu-west-3"));
        assertFault(probe(), StoreFault.Kind.UNREACHABLE, "503 SlowDown");
    }

    @Test
    void wrongKeysAreReported() throws Exception {
        bucket.admit("another");
        assertFault(probe(), StoreFault.Kind.DENIED, "does not know the access key of the AWS default chain");
        try (ScriptedBucket other = new ScriptedBucket()) {
            other.refuse("LIST", 403, "SignatureDoesNotMatch", "", Map.of());
            ProbeReport report = stores.probe(store(other.endpoint(), CredentialsReference.chain()), LONG);
            assertFault(report, StoreFault.Kind.DENIED, "the secret key of the AWS default chain is wrong");
        }
    }

    @Test
    void missingPermissionIsNamed() throws Exception {
        for (Map.Entry<String, String> action : Map.of(
                        "LIST", "s3:ListBucket", "PUT", "s3:PutObject", "GET", "s3:GetObject")
                .entrySet()) {
            try (ScriptedBucket one = new ScriptedBucket()) {
                one.refuse(action.getKey(), 403, "AccessDenied", "no", Map.of());
                ProbeReport report = stores.probe(store(one.endpoint(), CredentialsReference.chain()), LONG);
                assertFault(report, StoreFault.Kind.DENIED, "may not " + action.getValue());
                assertThat(one.objects()).isEmpty();
            }
        }
        bucket.refuse("DELETE", 403, "AccessDenied", "no", Map.of());
        assertThat(probe().fault())
                .hasValueSatisfying(fault -> assertThat(fault.reason()).contains("s3:DeleteObject"));
    }

    @Test
    void storeWithoutConditionalWritesIsReported() throws Exception {
        bucket.ignoreConditions();
        assertFault(probe(), StoreFault.Kind.DENIED, "no conditional writes");
        bucket.refuse("PUT", 501, "NotImplemented", "", Map.of());
        assertFault(
                probe(), StoreFault.Kind.DENIED, "no conditional writes: PUT with If-None-Match is answered with 501");
    }

    @Test
    void invalidBucketNameIsReportedBeforeAnyRequest() throws Exception {
        Store odd =
                new Store(new StoreId("s"), "z", new Store.S3("Not_a_name", "us-east-1", bucket.endpoint(), true, ""));
        assertFault(stores.probe(odd, LONG), StoreFault.Kind.DENIED, "bucket name \"Not_a_name\" is invalid");
        assertThat(bucket.requests()).isEmpty();
    }

    @Test
    void unreachableBucketsHaveAReason() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Store refused = store("http://127.0.0.1:" + free, CredentialsReference.chain());
        assertFault(stores.probe(refused, LONG), StoreFault.Kind.UNREACHABLE, "the connection is refused");
        bucket.refuse("LIST", 503, "SlowDown", "later", Map.of());
        assertFault(probe(), StoreFault.Kind.UNREACHABLE, "503 SlowDown later");
    }

    @Test
    void serverWithoutTlsIsReported() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            thread.execute(() -> answerPlainly(plain));
            Store store = store("https://127.0.0.1:" + plain.getLocalPort(), CredentialsReference.chain());
            assertFault(stores.probe(store, LONG), StoreFault.Kind.UNREACHABLE, "certificate or the TLS handshake");
        }
    }

    private static void answerPlainly(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The test is over, or its client has closed.
            }
        }
    }

    /** Once, the check failed although another check only pruned the folder at the same time. */
    @Test
    void aPutThatMeetsAnotherChangeIsRepeated() throws Exception {
        bucket.refuseOnce("PUT", 409, "ConditionalRequestConflict");
        assertThat(probe().fault()).isEmpty();
    }

    @Test
    void objectsOfAnInterruptedCheckAreDeletedByTheNextLook() throws Exception {
        bucket.keep("p/cloudmw-probe/old", Instant.now().minusSeconds(600));
        bucket.keep("p/cloudmw-probe-older", Instant.now().minusSeconds(600));
        bucket.keep("p/cloudmw-probe/new", Instant.now());
        bucket.keep("p/chunks/kept", Instant.now().minusSeconds(600));
        assertThat(stores.look(store(bucket.endpoint(), CredentialsReference.chain()), LONG))
                .isEmpty();
        assertThat(bucket.objects().keySet())
                .doesNotContain("p/cloudmw-probe/old", "p/cloudmw-probe-older")
                .contains("p/cloudmw-probe/new");
    }

    @Test
    void aServerWithoutListCanBeUsedAllTheSame() throws Exception {
        bucket.refuse("LIST", 501, "NotImplemented", "", Map.of());
        assertThat(stores.look(store(bucket.endpoint(), CredentialsReference.chain()), LONG))
                .isEmpty();
    }

    @Test
    void eachStoreIsAskedWithItsOwnKeysAndAChangedFileCountsAtOnce() throws Exception {
        Path keys = directory.resolve("keys");
        CredentialsReference reference = new CredentialsReference.KeyFile(keys);
        Store own = store(bucket.endpoint(), reference);
        bucket.admit("own-1");
        assertThat(stores.look(own, LONG)).hasValueSatisfying(fault -> {
            assertThat(fault.kind()).isEqualTo(StoreFault.Kind.NO_CREDENTIALS);
            assertThat(fault.reason()).contains(keys + ": no such file");
        });
        Files.writeString(keys, "aws_access_key_id=own-1\naws_secret_access_key=s1\n");
        assertThat(stores.look(own, LONG)).isEmpty();
        assertThat(stores.look(store(bucket.endpoint(), CredentialsReference.chain()), LONG))
                .isPresent();
        bucket.admit("own-22");
        assertThat(stores.look(own, LONG)).isPresent();
        Files.writeString(keys, "aws_access_key_id=own-22\naws_secret_access_key=s2\n");
        assertThat(stores.look(own, LONG)).isEmpty();
    }

    @Test
    void missingProfileIsReported() throws Exception {
        Optional<StoreFault> fault =
                stores.look(store(bucket.endpoint(), new CredentialsReference.Profile("no-such-profile-here")), LONG);
        assertThat(fault).hasValueSatisfying(found -> {
            assertThat(found.kind()).isEqualTo(StoreFault.Kind.NO_CREDENTIALS);
            assertThat(found.reason()).contains("no-such-profile-here").doesNotContain("ProfileFile(");
        });
    }
}

package io.cloudmw.it.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.FileChunkSource;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.store.http.HttpConnections;
import io.cloudmw.core.store.http.HttpTimeouts;
import io.cloudmw.core.store.http.PresignedChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.time.Ticker;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contract of a bucket on each vendor's server: the contract of stores, chunks larger than any buffer, and clear
 * messages for refusals. {@code docs/s3-servers.md} has the same table of capabilities as the subclasses.
 */
abstract class S3ServerContract extends ChunkStoreContract {
    private static final int LARGE = 8 << 20;
    private static final int PIECE = 128 << 10;
    private static final Set<OpenOption> NEW_FILE =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final String SECRET = "nobody's secret";

    private final List<S3Stores> opened = new ArrayList<>();
    private final String bucket = "chunks-" + UUID.randomUUID();

    /** Returns the endpoint of the server that all tests of a class share. */
    abstract URI endpoint();

    abstract void createBucket(String name);

    /** Returns whether the server verifies signatures. */
    abstract boolean checksSignatures();

    /** Returns whether the server compares the region of a signature with its own. */
    abstract boolean checksRegions();

    /** Returns whether the server takes the checksum of a body after the body. */
    abstract boolean takesChecksumTrailers();

    /** Returns whether the server confirms that an object is encrypted with AES256. */
    abstract boolean confirmsEncryption();

    @Override
    protected boolean compares() {
        return true;
    }

    @Override
    protected ChunkStore create() throws Exception {
        createBucket(bucket);
        return open(S3Server.SECRET_ACCESS_KEY, S3Server.REGION, bucket);
    }

    @AfterEach
    void closeConnections() {
        opened.forEach(S3Stores::close);
    }

    @Test
    void repeatedPutOfALargeChunkSucceeds() throws Exception {
        ChunkId chunk = Chunks.id();
        byte[] content = Chunks.bytes(5, LARGE);

        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        for (int i = 0; i < 3; i++) {
            assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
        }
        CloudMwException failure = failure(() -> store().put(chunk, Chunks.source(Chunks.bytes(6, LARGE))));
        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(failure).hasMessageContaining("has other content");
        assertThat(Chunks.read(store(), chunk, 0, LARGE)).isEqualTo(content);
    }

    @Test
    void aPresignedUrlReadsRanges() throws Exception {
        ChunkId chunk = seeded(Chunks.bytes(4, 1000));
        URI url = opened.get(0).presign(description(S3Server.REGION, bucket), chunk, Duration.ofMinutes(10));

        try (HttpConnections connections = new HttpConnections("test", HttpTimeouts.DEFAULT, Ticker.system());
                PresignedChunkStore presigned =
                        new PresignedChunkStore(new StoreId("s3-store"), wanted -> Optional.of(url), connections)) {
            assertThat(Chunks.read(presigned, chunk, 10, 20)).isEqualTo(Chunks.read(store(), chunk, 10, 20));
        }
    }

    /** Where the server confirms nothing, nobody would notice that objects are not encrypted. */
    @Test
    void encryptionIsConfirmedOrTheStoreIsRefused() throws Exception {
        Store encrypted = description(S3Server.REGION, bucket).with(BucketEncryption.AES256);
        Optional<StoreFault> fault =
                opened.get(0).probe(encrypted, Duration.ofMinutes(1)).fault();
        if (confirmsEncryption()) {
            assertThat(fault).isEmpty();
        } else {
            assertThat(fault)
                    .hasValueSatisfying(found -> assertThat(found.reason())
                            .contains("an object was to be encrypted with AES256, but the store ignores it"));
        }
    }

    @Test
    void aWrongSecretKeyIsNamedByEachKindOfRequest() throws Exception {
        ChunkStore denied = open(SECRET, S3Server.REGION, bucket);
        if (!checksSignatures()) {
            assertThat(denied.list("", 1).items()).isEmpty();
            return;
        }
        assertEachRefused(denied, ErrorCode.STORE_DENIED, "403 SignatureDoesNotMatch", "the secret key is not");
    }

    @Test
    void aWrongRegionIsNamedWithTheRightOne() throws Exception {
        ChunkStore elsewhere = open(S3Server.SECRET_ACCESS_KEY, "ap-south-1", bucket);
        if (!checksRegions()) {
            assertThat(elsewhere.list("", 1).items()).isEmpty();
            return;
        }
        assertEachRefused(
                elsewhere,
                ErrorCode.STORE_DENIED,
                "400 AuthorizationHeaderMalformed",
                "the bucket is in region " + S3Server.REGION + ", the store says ap-south-1");
    }

    @Test
    void aMissingBucketIsNamedByEachKindOfRequest() throws Exception {
        ChunkStore lost = open(S3Server.SECRET_ACCESS_KEY, S3Server.REGION, "no-such-" + bucket);

        assertEachRefused(lost, ErrorCode.STORE_UNAVAILABLE, "404", "there is no such bucket");
    }

    @Test
    void aLargeReadCanBeDroppedInTheMiddleAgainAndAgain() throws Exception {
        ChunkId chunk = seeded(new byte[LARGE]);
        // More dropped reads than the pool has connections: each must return its connection.
        for (int i = 0; i < S3Settings.DEFAULT.maxConnections() + 8; i++) {
            ChunkReader reader = store().read(chunk, new ByteRange(0, LARGE));
            assertThat(reader.read(ByteBuffer.allocate(1000))).isPositive();
            reader.close();
        }
        assertThat(Chunks.read(store(), chunk, 5, 10)).hasSize(10);
    }

    @Test
    void aChunkIsPutWhileItArrives(@TempDir Path directory) throws Exception {
        assertThat(store().takesArrivingSources()).isEqualTo(takesChecksumTrailers());
        byte[] content = Chunks.bytes(11, LARGE);
        ChunkId chunk = Chunks.id();
        try (FileChannel file = FileChannel.open(directory.resolve("chunk"), NEW_FILE)) {
            FileChunkSource source = FileChunkSource.arriving(file, LARGE);
            CompletableFuture<PutOutcome> put = put(chunk, source);
            for (int at = 0; at < LARGE; at += PIECE) {
                file.write(ByteBuffer.wrap(content, at, PIECE), at);
                source.arrived(at + PIECE);
            }
            source.complete();
            assertThat(put).succeedsWithin(60, TimeUnit.SECONDS).isEqualTo(PutOutcome.WRITTEN);
        }
        assertThat(Chunks.read(store(), chunk, 0, LARGE)).isEqualTo(content);
        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
    }

    @Test
    void aChunkThatDoesNotArriveIsNotStored(@TempDir Path directory) throws Exception {
        assertThat(store().takesArrivingSources()).isEqualTo(takesChecksumTrailers());
        ChunkId chunk = Chunks.id();
        try (FileChannel file = FileChannel.open(directory.resolve("chunk"), NEW_FILE)) {
            FileChunkSource source = FileChunkSource.arriving(file, LARGE);
            CompletableFuture<PutOutcome> put = put(chunk, source);
            file.write(ByteBuffer.allocate(LARGE), 0);
            source.arrived(LARGE);
            source.fail(new CloudMwException(ErrorCode.CANCELLED, "the writer stops"));
            assertThat(put)
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withRootCauseInstanceOf(CloudMwException.class)
                    .withMessageContaining("the writer stops");
        }
        assertThat(store().length(chunk)).isEmpty();
    }

    private CompletableFuture<PutOutcome> put(ChunkId chunk, FileChunkSource source) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return store().put(chunk, source);
            } catch (CloudMwException e) {
                throw new CompletionException(e);
            }
        });
    }

    private static void assertEachRefused(ChunkStore store, ErrorCode code, String answer, String words) {
        ChunkId chunk = Chunks.id();
        List<CloudMwException> failures = List.of(
                failure(() -> store.put(chunk, Chunks.source(new byte[LARGE]))),
                failure(() -> store.put(chunk, Chunks.source(new byte[1]))),
                failure(() -> Chunks.read(store, chunk, 0, 1)),
                failure(() -> store.length(chunk)),
                failure(() -> store.delete(chunk)),
                failure(() -> store.list("", 1)));
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.code()).as(failure.toString()).isEqualTo(code);
            assertThat(failure.verdict()).as(failure.toString()).isEqualTo(RetryVerdict.NEVER);
            assertThat(failure).hasMessageContaining("store=s3-store bucket=");
            assertThat(failure).hasMessageContaining(answer).hasMessageContaining(words);
        });
    }

    private ChunkStore open(String secret, String region, String name) throws CloudMwException {
        S3Stores stores = S3Stores.open(S3Settings.DEFAULT, S3Server.ACCESS_KEY_ID, secret);
        opened.add(stores);
        return stores.open(description(region, name));
    }

    private Store description(String region, String name) {
        return new Store(
                new StoreId("s3-store"),
                "z",
                new Store.S3(name, region, endpoint().toString(), true, "a/b/"));
    }
}

package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract of stores, on a bucket of LocalStack. */
@ExtendWith(LocalStackExtension.class)
final class S3ChunkStoreIT extends ChunkStoreContract {
    private static final String REGION = "eu-west-1";

    private final LocalStack localStack;
    private final S3Stores stores =
            S3Stores.open(S3Settings.DEFAULT, LocalStack.ACCESS_KEY_ID, LocalStack.SECRET_ACCESS_KEY);
    private final String bucket = "chunks-" + UUID.randomUUID();

    S3ChunkStoreIT(LocalStack localStack) {
        this.localStack = localStack;
    }

    @Override
    protected ChunkStore create() throws Exception {
        localStack.createBucket(bucket, REGION);
        return stores.open(description(bucket));
    }

    @Override
    protected boolean compares() {
        return true;
    }

    @AfterEach
    void closeConnections() {
        stores.close();
    }

    @Test
    void chunksAreWhereTheDocumentationSays() throws Exception {
        ChunkId chunk = seeded(Chunks.bytes(1, 10));

        try (S3Client s3 = localStack.s3(REGION)) {
            String shard = chunk.toString().substring(0, 2);
            assertThat(s3.headObject(r -> r.bucket(bucket).key("a/b/chunks/" + shard + "/" + chunk))
                            .contentLength())
                    .isEqualTo(10);
        }
    }

    @Test
    void foreignObjectsUnderThePrefixAreNotListed() throws Exception {
        ChunkId chunk = seeded(Chunks.bytes(1, 10));
        try (S3Client s3 = localStack.s3(REGION)) {
            for (String key : new String[] {"a/b/chunks/00/notes.txt", "a/b/chunks/ff/" + chunk, "zzz"}) {
                s3.putObject(r -> r.bucket(bucket).key(key), RequestBody.fromString("x"));
            }
        }
        assertThat(store().list("", 1).items()).extracting(StoredChunk::id).containsExactly(chunk);
        assertThat(store().list("", 1000).items()).extracting(StoredChunk::id).containsExactly(chunk);
    }

    @Test
    void aLostBucketIsUnavailableAndNotAMissingReplica() throws Exception {
        ChunkStore lost = stores.open(description("no-such-" + bucket));
        ChunkId chunk = Chunks.id();

        assertThat(failure(() -> Chunks.read(lost, chunk, 0, 1)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> lost.length(chunk)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> lost.delete(chunk)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> lost.list("", 1)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> lost.put(chunk, Chunks.source(new byte[1]))).code())
                .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aLargeReadCanBeDroppedInTheMiddleAgainAndAgain() throws Exception {
        ChunkId chunk = seeded(new byte[8 << 20]);
        // More dropped reads than the pool has connections: each must return its connection.
        for (int i = 0; i < S3Settings.DEFAULT.maxConnections() + 8; i++) {
            ChunkReader reader = store().read(chunk, new ByteRange(0, 8 << 20));
            assertThat(reader.read(ByteBuffer.allocate(1000))).isPositive();
            reader.close();
        }
        assertThat(Chunks.read(store(), chunk, 5, 10)).hasSize(10);
    }

    private Store description(String name) {
        return new Store(
                new StoreId("s3-store"),
                REGION,
                new Store.S3(name, REGION, localStack.endpoint().toString(), true, "a/b/"));
    }
}

package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.http.HttpConnections;
import io.cloudmw.core.store.http.HttpTimeouts;
import io.cloudmw.core.store.http.PresignedChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of stores, on a bucket that is read through URLs signed by another process. */
@ExtendWith(LocalStackExtension.class)
final class PresignedChunkStoreIT extends ChunkStoreContract {
    private static final String REGION = "us-west-2";

    private final LocalStack localStack;
    private final S3Stores signer =
            S3Stores.open(S3Settings.DEFAULT, LocalStack.ACCESS_KEY_ID, LocalStack.SECRET_ACCESS_KEY);
    private final HttpConnections connections = new HttpConnections("test", HttpTimeouts.DEFAULT, Ticker.system());
    private final Store description;

    PresignedChunkStoreIT(LocalStack localStack) {
        this.localStack = localStack;
        this.description = description("signed-" + UUID.randomUUID());
    }

    @Override
    protected ChunkStore create() throws Exception {
        if (description.kind() instanceof Store.S3 s3) {
            localStack.createBucket(s3.bucket(), REGION);
        }
        return signed(description);
    }

    @Override
    protected boolean writes() {
        return false;
    }

    @Override
    protected void seed(ChunkStore into, ChunkId chunk, byte[] bytes) throws Exception {
        try (ChunkStore owner = signer.open(description)) {
            owner.put(chunk, Chunks.source(bytes));
        }
    }

    @AfterEach
    void closeSigner() {
        signer.close();
        connections.close();
    }

    @Test
    void aLostBucketIsUnavailableAndNotAMissingReplica() {
        ChunkStore lost = signed(description("no-such-bucket-" + UUID.randomUUID()));

        assertThat(failure(() -> Chunks.read(lost, Chunks.id(), 0, 1)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    private ChunkStore signed(Store store) {
        return new PresignedChunkStore(
                store.id(), chunk -> Optional.of(signer.presign(store, chunk, Duration.ofMinutes(5))), connections);
    }

    private Store description(String bucket) {
        return new Store(
                new StoreId("signed"),
                REGION,
                new Store.S3(bucket, REGION, localStack.endpoint().toString(), true, ""));
    }
}

package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.it.localstack.LocalStack;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Test of a store that dies during a read. */
final class LostLocalStackIT {
    @Test
    void aStoreKilledInTheMiddleOfAReadIsUnavailable() throws Exception {
        int size = 64 << 20;
        try (LocalStack localStack = LocalStack.startPrivate();
                S3Stores stores =
                        S3Stores.open(S3Settings.DEFAULT, LocalStack.ACCESS_KEY_ID, LocalStack.SECRET_ACCESS_KEY)) {
            localStack.createBucket("doomed", "us-east-1");
            ChunkStore store = stores.open(new Store(
                    new StoreId("doomed"),
                    "z",
                    new Store.S3("doomed", "us-east-1", localStack.endpoint().toString(), true, "")));
            ChunkId chunk = Chunks.id();
            store.put(chunk, Chunks.source(new byte[size]));
            try (ChunkReader reader = store.read(chunk, new ByteRange(0, size))) {
                assertThat(reader.read(ByteBuffer.allocate(1000))).isPositive();
                localStack.kill();

                assertThat(code(() -> Chunks.readAll(reader))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            }
            assertThat(code(() -> store.length(chunk))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
    }

    private static ErrorCode code(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }
}

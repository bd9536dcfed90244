package io.cloudmw.core.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class MarkedStoreTest {
    private static final StoreIdentity IDENTITY = StoreIdentity.random("c1");
    private static final Store STORE =
            new Store(new StoreId("b1"), "region", new Store.S3("bucket", "eu-west-1", "", false, ""), IDENTITY);
    private static final Duration LATER = Duration.ofMinutes(2);

    private Optional<BucketMarker> marker = Optional.of(new BucketMarker(STORE.id(), IDENTITY));
    private boolean isDown;
    private int looks;

    private final BucketMarkers markers = new BucketMarkers() {
        @Override
        public Optional<BucketMarker> read(Store bucket) throws CloudMwException {
            looks++;
            if (isDown) {
                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "down");
            }
            return marker;
        }

        @Override
        public boolean write(Store bucket, BucketMarker written, boolean replace) {
            throw new AssertionError("helpers write no markers");
        }
    };
    private final FakeTicker ticker = new FakeTicker();
    private final MarkedStore store =
            new MarkedStore(new MemoryChunkStore(STORE.id(), 1 << 20), STORE, markers, ticker);

    private static ErrorCode code(ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }

    private ErrorCode readOf(ChunkId chunk) {
        return code(() -> Chunks.read(store, chunk, 0, 1));
    }

    @Test
    void aChunkThatIsNotInTheRightBucketIsMissing() throws Exception {
        assertThat(readOf(Chunks.id())).isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(store.length(Chunks.id())).isEmpty();
    }

    @Test
    void aChunkThatIsNotInAnotherBucketIsNotMissing() throws Exception {
        store.put(Chunks.id(), Chunks.source(new byte[10]));
        marker = Optional.empty();
        ticker.advance(LATER);
        assertThat(readOf(Chunks.id())).isEqualTo(ErrorCode.STORE_MISMATCH);
        assertThat(code(() -> store.length(Chunks.id()))).isEqualTo(ErrorCode.STORE_MISMATCH);
        assertThat(code(() -> store.put(Chunks.id(), Chunks.source(new byte[10]))))
                .isEqualTo(ErrorCode.STORE_MISMATCH);
    }

    @Test
    void readsThatFindTheirChunkLookAtNoMarkerAndPutsOnceAMinute() throws Exception {
        ChunkId chunk = Chunks.id();
        store.put(chunk, Chunks.source(new byte[10]));
        store.put(Chunks.id(), Chunks.source(new byte[10]));
        assertThat(looks).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            ticker.advance(LATER);
            assertThat(Chunks.read(store, chunk, 0, 10)).hasSize(10);
        }
        assertThat(looks).isEqualTo(1);
    }

    @Test
    void aMarkerThatCannotBeReadSaysNothing() {
        isDown = true;
        assertThat(readOf(Chunks.id())).isEqualTo(ErrorCode.REPLICA_MISSING);
    }
}

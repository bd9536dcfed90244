package io.cloudmw.core.identity;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A store that checks its bucket's marker: when a chunk is missing, and before puts, at most once a minute. So an
 * emptied bucket, or another one in its place, does not look like one that lost its chunks. Reads that find their
 * chunk cost nothing more. Safe for any thread.
 */
public final class MarkedStore extends ForwardingChunkStore {
    private static final long PUTS_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long MISSES_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Store store;
    private final BucketMarkers markers;
    private final Ticker ticker;

    @GuardedBy("this")
    private Optional<CloudMwException> mismatch = Optional.empty();

    @GuardedBy("this")
    private boolean isLookedAt;

    @GuardedBy("this")
    private long lookedNanos;

    /**
     * @param store with the identity that the bucket is to have
     */
    public MarkedStore(ChunkStore chunks, Store store, BucketMarkers markers, Ticker ticker) {
        super(chunks);
        this.store = store;
        this.markers = markers;
        this.ticker = ticker;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        ChunkReader reader;
        try {
            reader = opening.open();
        } catch (CloudMwException e) {
            throw explained(e);
        }
        return new ChunkReader() {
            @Override
            public int read(ByteBuffer target) throws CloudMwException {
                try {
                    return reader.read(target);
                } catch (CloudMwException e) {
                    throw explained(e);
                }
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }

    private CloudMwException explained(CloudMwException failure) {
        return failure.code() == ErrorCode.REPLICA_MISSING
                ? mismatch(MISSES_NANOS).orElse(failure)
                : failure;
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        require(PUTS_NANOS);
        return super.put(chunk, source);
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        OptionalLong length = super.length(chunk);
        if (length.isEmpty()) {
            require(MISSES_NANOS);
        }
        return length;
    }

    private void require(long oldestNanos) throws CloudMwException {
        Optional<CloudMwException> found = mismatch(oldestNanos);
        if (found.isPresent()) {
            throw new CloudMwException(
                    ErrorCode.STORE_MISMATCH, String.valueOf(found.get().getMessage()), found.get());
        }
    }

    /** The reason why it is not this store's bucket; empty also when the marker cannot be read. */
    private synchronized Optional<CloudMwException> mismatch(long oldestNanos) {
        if (!isLookedAt || ticker.nanos() - lookedNanos >= oldestNanos) {
            mismatch = look();
            lookedNanos = ticker.nanos();
            isLookedAt = true;
        }
        return mismatch;
    }

    private Optional<CloudMwException> look() {
        try {
            var unused = new BucketAdmission(store.identity().cluster()).admit(store, markers.read(store));
            return Optional.empty();
        } catch (CloudMwException e) {
            return e.code() == ErrorCode.STORE_MISMATCH ? Optional.of(e) : Optional.empty();
        }
    }
}

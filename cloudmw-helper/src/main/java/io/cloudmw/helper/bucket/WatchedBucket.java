package io.cloudmw.helper.bucket;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;

/** A bucket that the watch probes again as soon as a read or a put fails. Safe for any thread. */
final class WatchedBucket extends ForwardingChunkStore {
    private final BucketWatch watch;

    WatchedBucket(ChunkStore store, BucketWatch watch) {
        super(store);
        this.watch = watch;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        try {
            return opening.open();
        } catch (CloudMwException e) {
            doubt(e);
            throw e;
        }
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        try {
            return super.put(chunk, source);
        } catch (CloudMwException e) {
            doubt(e);
            throw e;
        }
    }

    private void doubt(CloudMwException why) {
        if (why.code() == ErrorCode.STORE_UNAVAILABLE || why.code() == ErrorCode.STORE_DENIED) {
            watch.doubt(id());
        }
    }
}

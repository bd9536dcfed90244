package io.cloudmw.core.store;

import io.cloudmw.core.emulation.ResponsePace;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.emulation.StorePace;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A decorator whose reads are slow, uneven or stalled by a law. It serves demonstrations, tests of the race, and disks
 * that must leave room to others. Only reads are slowed. {@link #file} is forwarded: a caller that sends from the file
 * has read the range through {@link #read} or {@link #readAhead} before.
 */
public final class ThrottledChunkStore extends ForwardingChunkStore {
    /** The longest sleep of a reader, so that it soon notices its close. */
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final StorePace pace;
    private final Sleeper sleeper;

    public ThrottledChunkStore(ChunkStore store, StoreLaw law, Ticker ticker, Sleeper sleeper) {
        super(store);
        this.pace = new StorePace(law, ticker);
        this.sleeper = sleeper;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        return new ThrottledReader(opening.open(), range.length(), "chunk=" + chunk + " store=" + id());
    }

    private final class ThrottledReader implements ChunkReader {
        private final ChunkReader reader;
        private final long length;
        private final String what;
        private @Nullable ResponsePace response;
        private volatile boolean closed;

        ThrottledReader(ChunkReader reader, long length, String what) {
            this.reader = reader;
            this.length = length;
            this.what = what;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            ResponsePace paced = response();
            int limit = target.limit();
            target.limit(target.position() + Math.min(target.remaining(), paced.pieceBytes()));
            int read;
            try {
                read = reader.read(target);
            } finally {
                target.limit(limit);
            }
            if (read > 0) {
                await(paced.arrivalNanos(read));
            }
            return read;
        }

        /** The response; its request is made by the first read, as in remote stores. */
        private ResponsePace response() {
            ResponsePace made = response;
            if (made == null) {
                made = pace.request();
                made.length(length);
                response = made;
            }
            return made;
        }

        @Override
        public void close() {
            closed = true;
            reader.close();
        }

        private void await(long untilNanos) throws CloudMwException {
            try {
                for (long left = left(untilNanos); left > 0; left = left(untilNanos)) {
                    if (closed) {
                        throw new CloudMwException(ErrorCode.CANCELLED, what + ": cancelled");
                    }
                    sleeper.sleep(Math.min(left, NAP_NANOS));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CloudMwException(ErrorCode.CANCELLED, what + ": interrupted", e);
            }
        }

        private long left(long untilNanos) {
            return untilNanos - pace.elapsedNanos();
        }
    }
}

package io.cloudmw.core.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A store whose reads, all together, are no faster than a speed that varies: for demonstrations, for tests of
 * the race, and for disks that must leave room to others. Only reads are slowed. {@link #file} is passed through:
 * a caller that sends from the file has read and verified the range through {@link #read} before.
 */
public final class ThrottledChunkStore extends ForwardingChunkStore {
    /** A reader waits in naps of this length, so that it notices soon that it was closed. */
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long PIECE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MIN_PIECE_BYTES = 1024;

    private final ReadSpeed speed;
    private final Ticker ticker;
    private final Sleeper sleeper;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean started;

    @GuardedBy("lock")
    private long startNanos;

    /** When the store has sent all that was read so far, counted from the start. */
    @GuardedBy("lock")
    private long busyUntilNanos;

    public ThrottledChunkStore(ChunkStore store, ReadSpeed speed, Ticker ticker, Sleeper sleeper) {
        super(store);
        this.speed = speed;
        this.ticker = ticker;
        this.sleeper = sleeper;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        return new ThrottledReader(super.read(chunk, range), "chunk=" + chunk + " store=" + id());
    }

    /** Bytes that a single read may give, so that readers at the same time take turns. */
    private int pieceBytes() {
        long bytes = speed.bytesPerSecondAt(elapsedNanos()) * PIECE_NANOS / TimeUnit.SECONDS.toNanos(1);
        return (int) Math.max(MIN_PIECE_BYTES, Math.min(bytes, Integer.MAX_VALUE));
    }

    /** Queues {@code bytes} behind all that was read before; returns when they would have arrived. */
    private long arrivalNanos(int bytes) {
        synchronized (lock) {
            long from = Math.max(elapsedNanos(), busyUntilNanos);
            double seconds = (double) bytes / speed.bytesPerSecondAt(from);
            busyUntilNanos = from + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
            return busyUntilNanos;
        }
    }

    private long elapsedNanos() {
        synchronized (lock) {
            if (!started) {
                started = true;
                startNanos = ticker.nanos();
            }
            return ticker.nanos() - startNanos;
        }
    }

    private final class ThrottledReader implements ChunkReader {
        private final ChunkReader reader;
        private final String what;
        private volatile boolean closed;

        ThrottledReader(ChunkReader reader, String what) {
            this.reader = reader;
            this.what = what;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            int limit = target.limit();
            target.limit(target.position() + Math.min(target.remaining(), pieceBytes()));
            int read;
            try {
                read = reader.read(target);
            } finally {
                target.limit(limit);
            }
            if (read > 0) {
                await(arrivalNanos(read));
            }
            return read;
        }

        @Override
        public void close() {
            closed = true;
            reader.close();
        }

        private void await(long untilNanos) throws CloudMwException {
            try {
                for (long left = untilNanos - elapsedNanos(); left > 0; left = untilNanos - elapsedNanos()) {
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
    }
}

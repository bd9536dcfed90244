package io.cloudmw.helper.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** A store that gives as many bytes as the test allows, then waits. It counts bytes and may fail; it has no files. */
public final class SteppedStore extends ForwardingChunkStore {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private long allowed;

    @GuardedBy("lock")
    private long given;

    @GuardedBy("lock")
    private int opened;

    @GuardedBy("lock")
    private int closed;

    @GuardedBy("lock")
    private boolean failing;

    public SteppedStore(ChunkStore store) {
        super(store);
    }

    /** Allows more bytes. */
    public void allow(long more) {
        synchronized (lock) {
            allowed += more;
            lock.notifyAll();
        }
    }

    /** Makes reads fail, including waiting ones. */
    public void fail(boolean now) {
        synchronized (lock) {
            failing = now;
            lock.notifyAll();
        }
    }

    public long given() {
        synchronized (lock) {
            return given;
        }
    }

    /** Number of reads so far. */
    public int opened() {
        synchronized (lock) {
            return opened;
        }
    }

    /** Number of ended reads. */
    public int closed() {
        synchronized (lock) {
            return closed;
        }
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        synchronized (lock) {
            opened++;
        }
        return new SteppedReader(opening.open());
    }

    private final class SteppedReader implements ChunkReader {
        private final ChunkReader reader;

        /** The caller holds the lock. */
        private boolean isClosed;

        SteppedReader(ChunkReader reader) {
            this.reader = reader;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            synchronized (lock) {
                while (allowed == 0 && !isClosed && !failing) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        isClosed = true;
                    }
                }
                if (isClosed) {
                    throw new CloudMwException(ErrorCode.CANCELLED, "closed");
                }
                if (failing) {
                    throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "on purpose");
                }
                int limit = target.limit();
                target.limit(target.position() + (int) Math.min(allowed, target.remaining()));
                int read = reader.read(target);
                target.limit(limit);
                allowed -= Math.max(0, read);
                given += Math.max(0, read);
                return read;
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                closed += isClosed ? 0 : 1;
                isClosed = true;
                lock.notifyAll();
            }
            reader.close();
        }
    }

    @Override
    public Optional<Path> file(ChunkId chunk) {
        return Optional.empty();
    }
}

package io.cloudmw.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.store.ThrottledChunkStore;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A decorator of a disk that has the disk's present {@link DiskCondition}. A change counts for reads under way, too:
 * they fail, or go on from where they are at the new speed. Safe for any thread.
 */
final class FaultyDisk extends ForwardingChunkStore {
    private final ChunkStore disk;

    @GuardedBy("this")
    private final Set<DiskReader> readers = new HashSet<>();

    private volatile Present present;

    /**
     * A condition and the store that reads under it.
     *
     * @param change counts the changes of the condition
     * @param store the disk itself, or the throttled disk
     */
    private record Present(long change, DiskCondition condition, ChunkStore store) {}

    FaultyDisk(ChunkStore disk, DiskCondition condition) {
        super(disk);
        this.disk = disk;
        this.present = present(0, condition);
    }

    private Present present(long change, DiskCondition condition) {
        return new Present(
                change,
                condition,
                condition
                        .law()
                        .<ChunkStore>map(law -> new ThrottledChunkStore(disk, law, Ticker.system(), Sleeper.system()))
                        .orElse(disk));
    }

    /** Changes the condition. */
    void become(DiskCondition condition) {
        List<DiskReader> underWay;
        synchronized (this) {
            present = present(present.change() + 1, condition);
            underWay = List.copyOf(readers);
        }
        underWay.forEach(DiskReader::reconsider);
    }

    private void requireReachable() throws CloudMwException {
        if (!present.condition().reachable()) {
            throw unreachable();
        }
    }

    private CloudMwException unreachable() {
        return new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id() + ": made unreachable by the test");
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        DiskReader reader = new DiskReader(chunk, range);
        synchronized (this) {
            readers.add(reader);
        }
        try {
            reader.open();
        } catch (CloudMwException e) {
            reader.close();
            throw e;
        }
        return reader;
    }

    private synchronized void ended(DiskReader reader) {
        readers.remove(reader);
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        requireReachable();
        return super.put(chunk, source);
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        requireReachable();
        return super.length(chunk);
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        requireReachable();
        return super.delete(chunk);
    }

    @Override
    public boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        requireReachable();
        return super.delete(chunk, isOver);
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        requireReachable();
        return super.list(pageToken, limit);
    }

    @Override
    public Optional<Path> file(ChunkId chunk) {
        return present.condition().reachable() ? super.file(chunk) : Optional.empty();
    }

    /** A reader that opens the rest of its range again when the condition of the disk has changed. */
    private final class DiskReader implements ChunkReader {
        private final ChunkId chunk;
        private final ByteRange range;
        private long done;

        @GuardedBy("this")
        private Present readUnder = present;

        @GuardedBy("this")
        private ChunkReader reader = NOTHING;

        @GuardedBy("this")
        private boolean closed;

        DiskReader(ChunkId chunk, ByteRange range) {
            this.chunk = chunk;
            this.range = range;
        }

        /** Opens the rest of the range under the present condition. */
        synchronized ChunkReader open() throws CloudMwException {
            if (closed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk + " store=" + id() + ": cancelled");
            }
            Present now = present;
            if (reader == NOTHING || now.change() != readUnder.change()) {
                reader.close();
                reader = NOTHING;
                if (!now.condition().reachable()) {
                    throw unreachable();
                }
                reader = now.store().read(chunk, new ByteRange(range.offset() + done, range.length() - done));
                readUnder = now;
            }
            return reader;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            while (true) {
                int start = target.position();
                ChunkReader opened = open();
                try {
                    int read = opened.read(target);
                    done += Math.max(0, read);
                    return read;
                } catch (CloudMwException e) {
                    // A change of the condition closed the reader; what it had read before is valid.
                    int read = target.position() - start;
                    done += read;
                    if (!isOutdated()) {
                        throw e;
                    }
                    if (read > 0) {
                        return read;
                    }
                }
            }
        }

        private synchronized boolean isOutdated() {
            return !closed && present.change() != readUnder.change();
        }

        /** Ends a read that waits under a condition that is over. */
        synchronized void reconsider() {
            reader.close();
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
                reader.close();
            }
            ended(this);
        }
    }

    /** The reader of a disk reader that is not open. */
    private static final ChunkReader NOTHING = new ChunkReader() {
        @Override
        public int read(ByteBuffer target) {
            return -1;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };
}

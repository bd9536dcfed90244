package io.cloudmw.core.testing.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkPages;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkSourceReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** A store in the heap, up to a limit. Its chunks are lost when the process ends. Safe for any thread. */
public final class MemoryChunkStore implements ChunkStore {
    private final StoreId id;
    private final long capacityBytes;
    private final ConcurrentSkipListMap<String, byte[]> chunks = new ConcurrentSkipListMap<>();
    private final AtomicLong used = new AtomicLong();
    private volatile boolean closed;

    /**
     * @param capacityBytes the limit for all chunks together; a put beyond it is {@code STORE_FULL}
     */
    public MemoryChunkStore(StoreId id, long capacityBytes) {
        if (capacityBytes < 0) {
            throw new IllegalArgumentException("capacityBytes: " + capacityBytes + " (expected: >= 0)");
        }
        this.id = id;
        this.capacityBytes = capacityBytes;
    }

    @Override
    public StoreId id() {
        return id;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        byte[] bytes = live().get(chunk.stored().toString());
        if (bytes == null) {
            throw new CloudMwException(
                    ErrorCode.REPLICA_MISSING, "chunk=" + chunk + " store=" + id + ": no such chunk");
        }
        ByteRange stored = ChunkStore.inStored(this, chunk, range);
        if (stored.end() > bytes.length) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "chunk=" + chunk + " store=" + id + ": range " + range + " (expected: within " + bytes.length
                            + " bytes)");
        }
        return new Reader(chunk, ByteBuffer.wrap(bytes, (int) stored.offset(), (int) stored.length()));
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        ChunkStore.requireWhole(this, chunk);
        if (live().containsKey(chunk.toString())) {
            return PutOutcome.EXISTED;
        }
        long length = source.length();
        if (used.addAndGet(length) > capacityBytes) {
            used.addAndGet(-length);
            throw new CloudMwException(
                    ErrorCode.STORE_FULL,
                    "chunk=" + chunk + " store=" + id + ": no room for " + length + " bytes (capacity: " + capacityBytes
                            + ")");
        }
        boolean written = false;
        try {
            byte[] bytes = new byte[Math.toIntExact(length)];
            ByteBuffer target = ByteBuffer.wrap(bytes);
            ChunkSourceReader.copy(chunk, source, target::put);
            written = chunks.putIfAbsent(chunk.toString(), bytes) == null;
        } finally {
            if (!written) {
                used.addAndGet(-length);
            }
        }
        return written ? PutOutcome.WRITTEN : PutOutcome.EXISTED;
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        byte[] bytes = live().get(chunk.stored().toString());
        return bytes == null ? OptionalLong.empty() : ChunkStore.length(chunk, bytes.length);
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        ChunkStore.requireWhole(this, chunk);
        byte[] bytes = live().remove(chunk.toString());
        if (bytes != null) {
            used.addAndGet(-bytes.length);
        }
        return bytes != null;
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        ChunkPages.check(pageToken, limit);
        return ChunkPages.page(
                live().tailMap(pageToken, false).entrySet().stream()
                        .map(entry -> new StoredChunk(ChunkId.parse(entry.getKey()), entry.getValue().length)),
                limit);
    }

    @Override
    public void close() {
        closed = true;
    }

    private ConcurrentSkipListMap<String, byte[]> live() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
        }
        return chunks;
    }

    private final class Reader implements ChunkReader {
        private final ChunkId chunk;
        private final ByteBuffer bytes;
        private volatile boolean readerClosed;

        Reader(ChunkId chunk, ByteBuffer bytes) {
            this.chunk = chunk;
            this.bytes = bytes;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            if (readerClosed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk + " store=" + id + ": closed");
            }
            if (closed) {
                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
            }
            if (!bytes.hasRemaining()) {
                return -1;
            }
            int count = Math.min(bytes.remaining(), target.remaining());
            target.put(target.position(), bytes, bytes.position(), count);
            target.position(target.position() + count);
            bytes.position(bytes.position() + count);
            return count;
        }

        @Override
        public void close() {
            readerClosed = true;
        }
    }
}

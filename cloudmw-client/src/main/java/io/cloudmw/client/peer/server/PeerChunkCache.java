package io.cloudmw.client.peer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.thread.SerialExecutor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of whole chunks that this client has read and verified, each in a nameless file, bounded in bytes with LRU
 * eviction. A chunk takes its room when its read begins, and is held once its last leaf is written. Another thread than
 * the read's writes the leaves. When too many leaves wait for the disk, their chunk is dropped. So the cache neither
 * slows nor fails a read. Safe for any thread.
 */
public final class PeerChunkCache implements AutoCloseable {
    /** The limit on leaves that wait to be written: as much as one read has in flight. */
    static final long MAX_WAITING_BYTES = 16 << 20;

    private static final Logger log = LoggerFactory.getLogger(PeerChunkCache.class);

    private final Path directory;
    private final long limitBytes;
    private final Executor threads;
    private final SerialExecutor writer;

    /** Whole chunks, least recently used first. */
    @GuardedBy("this")
    private final LinkedHashMap<ChunkId, PeerChunk> whole = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<ChunkId, PeerChunk> growing = new HashMap<>();

    /** The size of all files, including those in use that were evicted. */
    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private int files;

    @GuardedBy("this")
    private long waitingBytes;

    /** Chunks that were dropped because the disk was behind. */
    @GuardedBy("this")
    private long skipped;

    @GuardedBy("this")
    private boolean closed;

    /** Counts the changes of {@link #held}. */
    @GuardedBy("this")
    private long changes;

    /**
     * An empty cache.
     *
     * @param threads write files, and may block
     */
    PeerChunkCache(Path directory, long limitBytes, Executor threads) {
        this.threads = threads;
        writer = new SerialExecutor(threads, defect -> log.warn("a leaf could not be kept", defect));
        this.directory = directory;
        this.limitBytes = limitBytes;
    }

    /** A chunk whose leaves a read brings, in any order. */
    public final class Growing implements AutoCloseable {
        private final PeerChunk chunk;

        private Growing(PeerChunk chunk) {
            this.chunk = chunk;
        }

        /**
         * Queues a verified leaf for writing; does not wait. After the last leaf the chunk is held. When the disk is
         * too far behind, the chunk is dropped.
         *
         * @param offset of the leaf in the chunk
         * @param leaf is copied and not changed
         */
        public void keep(long offset, ByteBuffer leaf) {
            if (take(chunk, offset, leaf.remaining())) {
                writeLater(chunk, offset, leaf);
            }
        }

        /** Ends the chunk; unless all leaves came, it is dropped. Idempotent. */
        @Override
        public void close() {
            if (!isTaken(chunk)) {
                giveUp(chunk);
            }
        }
    }

    /** Reserves room for the leaf until it is written, and returns true; false when the leaf is not to be written. */
    private boolean take(PeerChunk chunk, long offset, int length) {
        synchronized (this) {
            if (growing.get(chunk.id()) != chunk) {
                return false;
            }
            if (waitingBytes + length <= MAX_WAITING_BYTES) {
                boolean first = chunk.take(offset);
                waitingBytes += first ? length : 0;
                return first;
            }
            skipped++;
        }
        log.debug("chunk={}: not kept, {} is too slow", chunk.id(), directory);
        giveUp(chunk);
        return false;
    }

    private synchronized boolean isTaken(PeerChunk chunk) {
        return chunk.isTaken();
    }

    private void writeLater(PeerChunk chunk, long offset, ByteBuffer leaf) {
        int length = leaf.remaining();
        boolean handedOn = false;
        try {
            ByteBuffer copy = ByteBuffer.allocate(length).put(leaf.duplicate()).flip();
            writer.execute(() -> write(chunk, offset, copy));
            handedOn = true;
        } finally {
            if (!handedOn) {
                giveUp(chunk);
                written(length);
            }
        }
    }

    private void write(PeerChunk chunk, long offset, ByteBuffer leaf) {
        int length = leaf.remaining();
        boolean written = false;
        try {
            if (chunk.write(offset, leaf)) {
                complete(chunk);
            }
            written = true;
        } catch (IOException e) {
            log.debug("chunk={}: not kept in {}", chunk.id(), directory, e);
        } finally {
            if (!written) {
                giveUp(chunk);
            }
            written(length);
        }
    }

    private synchronized void written(int length) {
        waitingBytes -= length;
        notifyAll();
    }

    /**
     * Waits until no leaf waits to be written, or the cache is closed. A reader that wants every chunk held calls this.
     */
    public synchronized void awaitWritten() throws InterruptedException {
        while (waitingBytes > 0 && !closed) {
            wait();
        }
    }

    /** The number of chunks that were dropped because they were read faster than the disk writes. */
    public synchronized long skipped() {
        return skipped;
    }

    /** Makes room for a chunk that is about to be read; empty when it is held already, or there is no room. */
    public Optional<Growing> begin(Chunk chunk) {
        long length = chunk.range().length();
        List<PeerChunk> gone = new ArrayList<>();
        Optional<Growing> begun;
        synchronized (this) {
            begun = begun(chunk, length, gone);
        }
        closeFiles(gone);
        return begun;
    }

    @GuardedBy("this")
    private Optional<Growing> begun(Chunk chunk, long length, List<PeerChunk> gone) {
        if (closed
                || chunk.id().slice().isPresent()
                || whole.containsKey(chunk.id())
                || growing.containsKey(chunk.id())) {
            return Optional.empty();
        }
        makeRoom(length, gone);
        if (bytes + length > limitBytes || files >= PeerAnnouncement.MAX_CHUNKS) {
            return Optional.empty();
        }
        PeerChunk held = new PeerChunk(chunk, directory.resolve("cloudmw-peer-" + UUID.randomUUID() + ".part"));
        growing.put(chunk.id(), held);
        bytes += length;
        files++;
        return Optional.of(new Growing(held));
    }

    @GuardedBy("this")
    private void makeRoom(long length, List<PeerChunk> gone) {
        Iterator<PeerChunk> leastRecentFirst = whole.values().iterator();
        while (leastRecentFirst.hasNext()
                && length <= limitBytes
                && (bytes + length > limitBytes || files >= PeerAnnouncement.MAX_CHUNKS)) {
            PeerChunk eldest = leastRecentFirst.next();
            if (eldest.uses == 0) {
                leastRecentFirst.remove();
                changes++;
                release(eldest, gone);
            }
        }
    }

    @GuardedBy("this")
    private void release(PeerChunk chunk, List<PeerChunk> gone) {
        bytes -= chunk.length();
        files--;
        gone.add(chunk);
    }

    private synchronized void complete(PeerChunk chunk) {
        if (growing.remove(chunk.id(), chunk)) {
            whole.put(chunk.id(), chunk);
            changes++;
        }
    }

    private void giveUp(PeerChunk chunk) {
        List<PeerChunk> gone = new ArrayList<>();
        synchronized (this) {
            if (growing.remove(chunk.id(), chunk)) {
                release(chunk, gone);
            }
        }
        closeFiles(gone);
    }

    /** The chunk for an upload, which calls {@link #end} at its end; null when it is not held. */
    synchronized @Nullable PeerChunk use(ChunkId id) {
        PeerChunk chunk = whole.get(id);
        if (chunk != null) {
            chunk.uses++;
        }
        return chunk;
    }

    /** Ends an upload. */
    void end(PeerChunk chunk) {
        List<PeerChunk> gone = new ArrayList<>();
        synchronized (this) {
            chunk.uses--;
            if (chunk.dropped && chunk.uses == 0) {
                release(chunk, gone);
            }
        }
        closeFiles(gone);
    }

    /** Drops a chunk whose content arrived corrupt elsewhere. */
    void drop(ChunkId id) {
        List<PeerChunk> gone = new ArrayList<>();
        synchronized (this) {
            PeerChunk chunk = whole.remove(id);
            if (chunk != null) {
                changes++;
                chunk.dropped = true;
                if (chunk.uses == 0) {
                    release(chunk, gone);
                }
            }
        }
        closeFiles(gone);
    }

    /** The chunks that can be served now. */
    public synchronized Set<ChunkId> held() {
        return Set.copyOf(whole.keySet());
    }

    /** The size of whole chunks. */
    public synchronized long heldBytes() {
        return whole.values().stream().mapToLong(PeerChunk::length).sum();
    }

    /** The size of all files, including those of incomplete chunks. */
    synchronized long bytes() {
        return bytes;
    }

    /** A number that changes whenever {@link #held} does. */
    synchronized long changes() {
        return changes;
    }

    /** Drops all chunks. Idempotent. */
    @Override
    public void close() {
        List<PeerChunk> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            notifyAll();
            all.addAll(whole.values());
            all.addAll(growing.values());
            whole.clear();
            growing.clear();
        }
        all.forEach(PeerChunkCache::closeFile);
    }

    /** Closes the files on another thread, because freeing a long file takes time. */
    private void closeFiles(List<PeerChunk> gone) {
        for (PeerChunk chunk : gone) {
            try {
                threads.execute(() -> closeFile(chunk));
            } catch (RejectedExecutionException e) {
                closeFile(chunk);
            }
        }
    }

    private static void closeFile(PeerChunk chunk) {
        try {
            chunk.close();
        } catch (IOException e) {
            log.debug("chunk={}: its file could not be closed", chunk.id(), e);
        }
    }
}

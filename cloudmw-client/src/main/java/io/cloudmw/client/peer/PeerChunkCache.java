package io.cloudmw.client.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
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
 * Whole chunks this client has read and verified, each in a file without a name, up to a number of bytes; the one used longest
 * ago makes room. A chunk that is being read takes its room from the beginning and is held when its last leaf is in its file.
 * Leaves are written by and by, on another thread than the read's; a chunk of which one comes when too many wait for the disk
 * is not kept. So nothing here slows a read, and nothing that goes wrong fails one. Safe for any thread.
 */
public final class PeerChunkCache implements AutoCloseable {
    /** Leaves that wait to be written, at most: as much as one read has in flight. */
    static final long MAX_WAITING_BYTES = 16 << 20;

    private static final Logger log = LoggerFactory.getLogger(PeerChunkCache.class);

    private final Path directory;
    private final long limitBytes;
    private final Executor threads;
    private final SerialExecutor writer;

    /** Those that are whole; the one used longest ago is the first. */
    @GuardedBy("this")
    private final LinkedHashMap<ChunkId, PeerChunk> whole = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<ChunkId, PeerChunk> growing = new HashMap<>();

    /** Of all files, those in use and no longer held included. */
    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private int files;

    @GuardedBy("this")
    private long waitingBytes;

    /** Chunks that were not kept because the disk was behind. */
    @GuardedBy("this")
    private long skipped;

    @GuardedBy("this")
    private boolean closed;

    /** Counts what {@link #held} depends on. */
    @GuardedBy("this")
    private long changes;

    /**
     * Holds nothing yet.
     *
     * @param threads write, and may block
     */
    PeerChunkCache(Path directory, long limitBytes, Executor threads) {
        this.threads = threads;
        writer = new SerialExecutor(threads, defect -> log.warn("a leaf could not be kept", defect));
        this.directory = directory;
        this.limitBytes = limitBytes;
    }

    /** A chunk of which a transfer brings all leaves, in any order. */
    public final class Growing implements AutoCloseable {
        private final PeerChunk chunk;

        private Growing(PeerChunk chunk) {
            this.chunk = chunk;
        }

        /**
         * Has a leaf that was verified written, soon; does not wait for that. With the last one the chunk is held. When the
         * disk is too far behind, it is let go of.
         *
         * @param offset in the chunk
         * @param leaf is copied, and left as it is
         */
        public void keep(long offset, ByteBuffer leaf) {
            if (take(chunk, offset, leaf.remaining())) {
                writeLater(chunk, offset, leaf);
            }
        }

        /** No more leaves come: unless all came, it is let go of. Idempotent. */
        @Override
        public void close() {
            if (!isTaken(chunk)) {
                giveUp(chunk);
            }
        }
    }

    /** Whether the leaf is to be written; there is room for it then until it is. */
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
     * Waits until no leaf waits to be written, or this is closed: who wants everything kept reads no faster than the disk.
     */
    public synchronized void awaitWritten() throws InterruptedException {
        while (waitingBytes > 0 && !closed) {
            wait();
        }
    }

    /** Chunks that were not kept, because they were read faster than the disk could take them. */
    public synchronized long skipped() {
        return skipped;
    }

    /** Makes room for a chunk all leaves of which are about to come; empty when it is known already, or there is none. */
    public Optional<Growing> begin(Chunk chunk) {
        long length = chunk.range().length();
        List<PeerChunk> gone = new ArrayList<>();
        Optional<Growing> begun;
        synchronized (this) {
            begun = begun(chunk, length, gone);
        }
        letGo(gone);
        return begun;
    }

    @GuardedBy("this")
    private Optional<Growing> begun(Chunk chunk, long length, List<PeerChunk> gone) {
        if (closed || whole.containsKey(chunk.id()) || growing.containsKey(chunk.id())) {
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
        letGo(gone);
    }

    /** The chunk for an upload, which ends with {@link #end}; null when it is not held. */
    synchronized @Nullable PeerChunk use(ChunkId id) {
        PeerChunk chunk = whole.get(id);
        if (chunk != null) {
            chunk.uses++;
        }
        return chunk;
    }

    /** An upload is over. */
    void end(PeerChunk chunk) {
        List<PeerChunk> gone = new ArrayList<>();
        synchronized (this) {
            chunk.uses--;
            if (chunk.dropped && chunk.uses == 0) {
                release(chunk, gone);
            }
        }
        letGo(gone);
    }

    /** Holds the chunk no longer: what came of it elsewhere was not what it ought to be. */
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
        letGo(gone);
    }

    /** What can be served now. */
    public synchronized Set<ChunkId> held() {
        return Set.copyOf(whole.keySet());
    }

    /** Bytes of whole chunks. */
    public synchronized long heldBytes() {
        return whole.values().stream().mapToLong(PeerChunk::length).sum();
    }

    /** Bytes of all files, of chunks that are not whole too. */
    synchronized long bytes() {
        return bytes;
    }

    /** Another number after {@link #held} has changed. */
    synchronized long changes() {
        return changes;
    }

    /** Lets go of everything. Idempotent. */
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

    /** Elsewhere: to give a long file's room back takes its time. */
    private void letGo(List<PeerChunk> gone) {
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

package io.cloudmw.client.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.placement.PeerAnnouncement;
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
 * ago makes room. A chunk that is being read takes its room from the beginning and is held when its last leaf is there. Nothing
 * that goes wrong here fails a read. Safe for any thread.
 */
public final class HeldChunks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HeldChunks.class);

    private final Path directory;
    private final long limitBytes;
    private final Executor threads;

    /** Those that are whole; the one used longest ago is the first. */
    @GuardedBy("this")
    private final LinkedHashMap<ChunkId, HeldChunk> whole = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<ChunkId, HeldChunk> growing = new HashMap<>();

    /** Of all files, those in use and no longer held included. */
    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private int files;

    @GuardedBy("this")
    private boolean closed;

    /** Counts what {@link #held} depends on. */
    @GuardedBy("this")
    private long changes;

    /**
     * Holds nothing yet.
     *
     * @param threads may block
     */
    HeldChunks(Path directory, long limitBytes, Executor threads) {
        this.threads = threads;
        this.directory = directory;
        this.limitBytes = limitBytes;
    }

    /** A chunk of which a transfer brings all leaves, in any order. */
    public final class Growing implements AutoCloseable {
        private final HeldChunk chunk;

        private Growing(HeldChunk chunk) {
            this.chunk = chunk;
        }

        /**
         * Keeps a leaf that was verified; blocks as files do. With the last one the chunk is held.
         *
         * @param offset in the chunk
         * @param leaf is left as it is
         */
        public void keep(long offset, ByteBuffer leaf) {
            try {
                if (chunk.write(offset, leaf)) {
                    complete(chunk);
                }
            } catch (IOException e) {
                log.debug("chunk={}: not kept in {}", chunk.id(), directory, e);
                close();
            }
        }

        /** No more leaves come: unless it is whole, it is let go of. Idempotent. */
        @Override
        public void close() {
            giveUp(chunk);
        }
    }

    /** Makes room for a chunk all leaves of which are about to come; empty when it is known already, or there is none. */
    public Optional<Growing> begin(Chunk chunk) {
        long length = chunk.range().length();
        List<HeldChunk> gone = new ArrayList<>();
        Optional<Growing> begun;
        synchronized (this) {
            begun = begun(chunk, length, gone);
        }
        letGo(gone);
        return begun;
    }

    @GuardedBy("this")
    private Optional<Growing> begun(Chunk chunk, long length, List<HeldChunk> gone) {
        if (closed || whole.containsKey(chunk.id()) || growing.containsKey(chunk.id())) {
            return Optional.empty();
        }
        makeRoom(length, gone);
        if (bytes + length > limitBytes || files >= PeerAnnouncement.MAX_CHUNKS) {
            return Optional.empty();
        }
        HeldChunk held = new HeldChunk(chunk, directory.resolve("cloudmw-peer-" + UUID.randomUUID() + ".part"));
        growing.put(chunk.id(), held);
        bytes += length;
        files++;
        return Optional.of(new Growing(held));
    }

    @GuardedBy("this")
    private void makeRoom(long length, List<HeldChunk> gone) {
        Iterator<HeldChunk> leastRecentFirst = whole.values().iterator();
        while (leastRecentFirst.hasNext()
                && length <= limitBytes
                && (bytes + length > limitBytes || files >= PeerAnnouncement.MAX_CHUNKS)) {
            HeldChunk eldest = leastRecentFirst.next();
            if (eldest.uses == 0) {
                leastRecentFirst.remove();
                changes++;
                release(eldest, gone);
            }
        }
    }

    @GuardedBy("this")
    private void release(HeldChunk chunk, List<HeldChunk> gone) {
        bytes -= chunk.length();
        files--;
        gone.add(chunk);
    }

    private synchronized void complete(HeldChunk chunk) {
        if (growing.remove(chunk.id(), chunk)) {
            whole.put(chunk.id(), chunk);
            changes++;
        }
    }

    private void giveUp(HeldChunk chunk) {
        List<HeldChunk> gone = new ArrayList<>();
        synchronized (this) {
            if (growing.remove(chunk.id(), chunk)) {
                release(chunk, gone);
            }
        }
        letGo(gone);
    }

    /** The chunk for an upload, which ends with {@link #end}; null when it is not held. */
    synchronized @Nullable HeldChunk use(ChunkId id) {
        HeldChunk chunk = whole.get(id);
        if (chunk != null) {
            chunk.uses++;
        }
        return chunk;
    }

    /** An upload is over. */
    void end(HeldChunk chunk) {
        List<HeldChunk> gone = new ArrayList<>();
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
        List<HeldChunk> gone = new ArrayList<>();
        synchronized (this) {
            HeldChunk chunk = whole.remove(id);
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
        return whole.values().stream().mapToLong(HeldChunk::length).sum();
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
        List<HeldChunk> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            all.addAll(whole.values());
            all.addAll(growing.values());
            whole.clear();
            growing.clear();
        }
        all.forEach(HeldChunks::closeFile);
    }

    /** Elsewhere: to give a long file's room back takes its time. */
    private void letGo(List<HeldChunk> gone) {
        for (HeldChunk chunk : gone) {
            try {
                threads.execute(() -> closeFile(chunk));
            } catch (RejectedExecutionException e) {
                closeFile(chunk);
            }
        }
    }

    private static void closeFile(HeldChunk chunk) {
        try {
            chunk.close();
        } catch (IOException e) {
            log.debug("chunk={}: its file could not be closed", chunk.id(), e);
        }
    }
}

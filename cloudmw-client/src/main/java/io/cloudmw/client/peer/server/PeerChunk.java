package io.cloudmw.client.peer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The verified leaves of one chunk, in a file of its own. Safe for any thread; every use is counted until it ends. */
final class PeerChunk {
    private final ChunkId id;
    private final long length;
    private final int leafSizeBytes;
    private final int[] crc32c;
    private final Path path;

    /** Leaves that are in the file. */
    @GuardedBy("this")
    private final BitSet leaves = new BitSet();

    /** Leaves that are written or will be; guarded as {@link #uses}. */
    private final BitSet taken = new BitSet();

    /** Created with the first leaf. */
    @GuardedBy("this")
    private @Nullable FileChannel file;

    @GuardedBy("this")
    private boolean closed;

    /** Uploads under way; guarded by the lock of {@link PeerChunkCache}. */
    int uses;

    /** True once the chunk is dropped: its file is closed after the last use. Guarded as {@link #uses}. */
    boolean dropped;

    /** @param path the file's name, as long as it has one */
    PeerChunk(Chunk chunk, Path path) {
        id = chunk.id();
        length = chunk.range().length();
        leafSizeBytes = chunk.leafSizeBytes();
        crc32c = chunk.leaves().crc32c();
        this.path = path;
    }

    ChunkId id() {
        return id;
    }

    long length() {
        return length;
    }

    /** The file of a whole chunk in use. */
    synchronized FileChannel file() {
        FileChannel open = file;
        if (open == null) {
            throw new IllegalStateException("chunk " + id + " has no file");
        }
        return open;
    }

    private synchronized FileChannel opened() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        FileChannel open = file;
        if (open == null) {
            open = UnlinkedFile.open(path);
            file = open;
        }
        return open;
    }

    /** Closes the file; may block. Idempotent. */
    synchronized void close() throws IOException {
        closed = true;
        if (file != null) {
            file.close();
        }
    }

    /** Writes one verified leaf; returns whether all leaves are in the file. */
    boolean write(long offset, ByteBuffer leaf) throws IOException {
        FileChannel to = opened();
        ByteBuffer bytes = leaf.duplicate();
        long at = offset;
        while (bytes.hasRemaining()) {
            at += to.write(bytes, at);
        }
        synchronized (this) {
            leaves.set(Math.toIntExact(offset / leafSizeBytes));
            return leaves.cardinality() == crc32c.length;
        }
    }

    /** Marks a leaf as taken for writing; false when it was taken before. Guarded as {@link #uses}. */
    boolean take(long offset) {
        int leaf = Math.toIntExact(offset / leafSizeBytes);
        boolean first = !taken.get(leaf);
        taken.set(leaf);
        return first;
    }

    /** Returns whether all leaves are taken for writing. Guarded as {@link #uses}. */
    boolean isTaken() {
        return taken.cardinality() == crc32c.length;
    }

    /** Returns whether the range can be served: whole leaves within the chunk. */
    boolean covers(ByteRange range) {
        return !range.isEmpty()
                && range.end() <= length
                && range.offset() % leafSizeBytes == 0
                && (range.end() % leafSizeBytes == 0 || range.end() == length);
    }

    /** The length of the leaf at an offset. */
    int leafLength(long offset) {
        return (int) Math.min(leafSizeBytes, length - offset);
    }

    /** The CRC32C of the leaf at an offset, by the manifest. */
    int leafCrc32c(long offset) {
        return crc32c[Math.toIntExact(offset / leafSizeBytes)];
    }
}

package io.cloudmw.client.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.store.NamelessFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The verified leaves of one chunk in a file of its own. Safe for any thread; whoever uses it says when that is over. */
final class PeerChunk {
    private final ChunkId id;
    private final long length;
    private final int leafSizeBytes;
    private final int[] crc32c;
    private final Path path;

    /** Those that are in the file. */
    @GuardedBy("this")
    private final BitSet leaves = new BitSet();

    /** Those that are to be written, or have been; as {@link #uses}. */
    private final BitSet taken = new BitSet();

    /** Made with the first leaf. */
    @GuardedBy("this")
    private @Nullable FileChannel file;

    @GuardedBy("this")
    private boolean closed;

    /** Uploads under way; only {@link PeerChunkCache} touches it, under its lock. */
    int uses;

    /** It is let go of when the last use is over; as {@link #uses}. */
    boolean dropped;

    /** @param path its name as long as it has one */
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

    /** That of a whole one that is in use. */
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
            open = NamelessFile.open(path);
            file = open;
        }
        return open;
    }

    /** Lets go of the file; may block. Idempotent. */
    synchronized void close() throws IOException {
        closed = true;
        if (file != null) {
            file.close();
        }
    }

    /** Writes one verified leaf; true when all are there. */
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

    /** Marks a leaf as one that is to be written; false when it was already. As {@link #uses}. */
    boolean take(long offset) {
        int leaf = Math.toIntExact(offset / leafSizeBytes);
        boolean first = !taken.get(leaf);
        taken.set(leaf);
        return first;
    }

    /** Whether all leaves are to be written, or have been. As {@link #uses}. */
    boolean isTaken() {
        return taken.cardinality() == crc32c.length;
    }

    /** Whether it can be served: whole leaves within it. */
    boolean covers(ByteRange range) {
        return !range.isEmpty()
                && range.end() <= length
                && range.offset() % leafSizeBytes == 0
                && (range.end() % leafSizeBytes == 0 || range.end() == length);
    }

    /** Bytes of the leaf at an offset. */
    int leafLength(long offset) {
        return (int) Math.min(leafSizeBytes, length - offset);
    }

    /** What the leaf at an offset ought to be, as the manifest says. */
    int leafCrc32c(long offset) {
        return crc32c[Math.toIntExact(offset / leafSizeBytes)];
    }
}

package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read from a pack. Its bytes are collected until all are there, however often a piece arrives: those of
 * a small file in memory, those of another in its temporary file. Safe for any thread.
 */
final class PackedFile {
    /** The largest file that is collected in memory. */
    private static final int MAX_IN_MEMORY_BYTES = 64 << 10;

    private static final int CHECKED_BYTES = 64 << 10;

    private final FileGet get;
    private final EntryStatus status;
    private final Chunk chunk;
    private final ByteRange place;
    private final SharedCall<EntryStatus> call;

    @GuardedBy("this")
    private byte[] bytes = {};

    @GuardedBy("this")
    private @Nullable FileSink sink;

    /** Whether the file was written, or given up. */
    @GuardedBy("this")
    private boolean ended;

    /** The pack's leaves of which the bytes are here. */
    @GuardedBy("this")
    private final BitSet arrived = new BitSet();

    /**
     * @param chunk the file's only one, a slice
     * @param call the caller's
     */
    PackedFile(FileGet get, EntryStatus status, Chunk chunk, SharedCall<EntryStatus> call) {
        this.get = get;
        this.status = status;
        this.chunk = chunk;
        this.place = chunk.id().slice().orElseThrow();
        this.call = call;
    }

    FileGet get() {
        return get;
    }

    EntryStatus status() {
        return status;
    }

    VersionId packVersion() {
        return chunk.id().version();
    }

    /** The place of its bytes in the pack's chunk. */
    ByteRange place() {
        return place;
    }

    SharedCall<EntryStatus> call() {
        return call;
    }

    /**
     * Takes a leaf of the pack, whole or cut to the range that is read. Blocks on the disk, unless the file is small.
     *
     * @param offset of its first byte in the pack
     * @param durable whether the file is forced to the disk
     * @return true once, when all bytes of the file are there
     * @throws CloudMwException {@code LOCAL_IO} when they cannot be written; the caller then gives the file up
     */
    synchronized boolean take(long offset, ByteBuffer leaf, boolean durable) throws CloudMwException {
        long from = Math.max(offset, place.offset());
        long to = Math.min(offset + leaf.remaining(), place.end());
        int number = leafOf(offset);
        if (ended || from >= to || arrived.get(number)) {
            return false;
        }
        ByteBuffer piece = leaf.slice((int) (leaf.position() + from - offset), (int) (to - from));
        int at = (int) (from - place.offset());
        if (isInMemory()) {
            if (arrived.isEmpty()) {
                bytes = new byte[(int) place.length()];
            }
            piece.get(bytes, at, piece.remaining());
        } else {
            opened(durable).write(at, piece);
        }
        arrived.set(number);
        return arrived.cardinality() == leafCount();
    }

    private boolean isInMemory() {
        return place.length() <= MAX_IN_MEMORY_BYTES;
    }

    @GuardedBy("this")
    private FileSink opened(boolean durable) throws CloudMwException {
        FileSink known = sink;
        if (known != null) {
            return known;
        }
        FileSink made = FileSink.fresh(get.target(), place.length(), durable);
        sink = made;
        made.open();
        return made;
    }

    /**
     * Compares the whole file with its digests and gives it its name. Blocks on the disk. A file that fails is given up.
     *
     * @return the file's directory
     * @throws CloudMwException {@code REPLICA_CORRUPT} when the bytes are not those of the version that was looked up;
     *     {@code LOCAL_IO}
     */
    synchronized Path commit(boolean durable) throws CloudMwException {
        try {
            LeafDigests found = isInMemory()
                    ? ChunkDigester.digest(ByteBuffer.wrap(bytes), chunk.leafSizeBytes())
                    : digest(opened(durable));
            if (!Arrays.equals(found.sha256(), chunk.leaves().sha256())) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        get.source() + ": its bytes in the pack are not those of its manifest");
            }
            if (isInMemory()) {
                opened(durable).write(0, ByteBuffer.wrap(bytes));
            }
            Path directory = opened(durable).commitFile();
            ended = true;
            return directory;
        } finally {
            giveUp();
        }
    }

    private LeafDigests digest(FileSink file) throws CloudMwException {
        ChunkDigester digester = new ChunkDigester((int) place.length(), chunk.leafSizeBytes());
        ByteBuffer piece = ByteBuffer.allocate(CHECKED_BYTES);
        for (long at = 0; at < place.length(); at += piece.limit()) {
            piece.clear().limit((int) Math.min(CHECKED_BYTES, place.length() - at));
            file.read(at, piece);
            digester.update(piece.flip());
        }
        return digester.finish();
    }

    /** Drops what has arrived, unless the file was written. Idempotent. */
    synchronized void giveUp() {
        bytes = new byte[0];
        FileSink opened = sink;
        if (!ended && opened != null) {
            opened.abort();
        }
        ended = true;
    }

    private int leafCount() {
        return leafOf(place.end() - 1) - leafOf(place.offset()) + 1;
    }

    private int leafOf(long offset) {
        return (int) (offset / chunk.leafSizeBytes());
    }
}

package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;

/**
 * A file that is read from a pack. Its bytes are collected until all are there, however often a piece arrives. Safe for
 * any thread.
 */
final class PackedFile {
    private final FileGet get;
    private final EntryStatus status;
    private final Chunk chunk;
    private final ByteRange place;
    private final SharedCall<EntryStatus> call;

    @GuardedBy("this")
    private byte[] bytes = {};

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
     * Takes a leaf of the pack, whole or cut to the range that is read.
     *
     * @param offset of its first byte in the pack
     * @return the whole file, once, when all its bytes are there; otherwise empty
     */
    synchronized Optional<byte[]> take(long offset, ByteBuffer leaf) {
        long from = Math.max(offset, place.offset());
        long to = Math.min(offset + leaf.remaining(), place.end());
        int number = leafOf(offset);
        if (from >= to || arrived.get(number) || arrived.cardinality() == leafCount()) {
            return Optional.empty();
        }
        if (arrived.isEmpty()) {
            bytes = new byte[(int) place.length()];
        }
        leaf.slice((int) (leaf.position() + from - offset), (int) (to - from))
                .get(bytes, (int) (from - place.offset()), (int) (to - from));
        arrived.set(number);
        if (arrived.cardinality() < leafCount()) {
            return Optional.empty();
        }
        byte[] whole = bytes;
        bytes = new byte[0];
        return Optional.of(whole);
    }

    private int leafCount() {
        return leafOf(place.end() - 1) - leafOf(place.offset()) + 1;
    }

    private int leafOf(long offset) {
        return (int) (offset / chunk.leafSizeBytes());
    }

    /** Returns whether bytes are those of the version that was looked up. */
    boolean isIntact(byte[] content) {
        LeafDigests found = ChunkDigester.digest(ByteBuffer.wrap(content), chunk.leafSizeBytes());
        return Arrays.equals(found.sha256(), chunk.leaves().sha256());
    }
}

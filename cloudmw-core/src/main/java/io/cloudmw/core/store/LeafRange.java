package io.cloudmw.core.store;

import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Arrays;

/**
 * A leaf-aligned range of a chunk with the CRC32C of its leaves. Immutable; it keeps the array without copying it,
 * which must not change afterwards.
 */
public final class LeafRange {
    private final ChunkId chunk;
    private final ByteRange range;
    private final int leafSizeBytes;
    private final int[] crc32c;

    /**
     * @param range starts at a leaf; ends at a leaf or at the end of the chunk
     * @param crc32c of the leaves of {@code range} only, in order
     */
    public LeafRange(ChunkId chunk, ByteRange range, int leafSizeBytes, int[] crc32c) {
        Leaves.checkSize(leafSizeBytes);
        if (range.offset() % leafSizeBytes != 0) {
            throw new IllegalArgumentException("range: " + range + " (expected: aligned to " + leafSizeBytes + ")");
        }
        int leaves = Chunk.leafCount(range.length(), leafSizeBytes);
        if (crc32c.length != leaves) {
            throw new IllegalArgumentException("crc32c: " + crc32c.length + " values (expected: " + leaves + ")");
        }
        this.chunk = chunk;
        this.range = range;
        this.leafSizeBytes = leafSizeBytes;
        this.crc32c = crc32c;
    }

    /** The range of a whole chunk. */
    public static LeafRange whole(Chunk chunk) {
        return new LeafRange(
                chunk.id(),
                new ByteRange(0, chunk.range().length()),
                chunk.leafSizeBytes(),
                chunk.leaves().crc32c());
    }

    /** The range of {@code count} leaves from the {@code first} on. */
    public LeafRange part(int first, int count) {
        long offset = offset(first);
        int last = first + count - 1;
        ByteRange part = new ByteRange(range.offset() + offset, offset(last) + length(last) - offset);
        return new LeafRange(chunk, part, leafSizeBytes, Arrays.copyOfRange(crc32c, first, first + count));
    }

    public ChunkId chunk() {
        return chunk;
    }

    /** The range within the chunk. */
    public ByteRange range() {
        return range;
    }

    public int leafSizeBytes() {
        return leafSizeBytes;
    }

    /** The number of leaves in the range. */
    public int leaves() {
        return crc32c.length;
    }

    /** The expected CRC32C of leaf {@code leaf} of the range. */
    public int crc32c(int leaf) {
        return crc32c[leaf];
    }

    /** The start of leaf {@code leaf}, counted from the start of the range. */
    public long offset(int leaf) {
        return (long) leaf * leafSizeBytes;
    }

    /** The length of leaf {@code leaf} of the range in bytes. */
    public int length(int leaf) {
        return (int) Math.min(leafSizeBytes, range.length() - offset(leaf));
    }

    @Override
    public String toString() {
        return chunk + range.toString();
    }
}

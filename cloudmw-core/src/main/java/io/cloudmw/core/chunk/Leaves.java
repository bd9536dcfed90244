package io.cloudmw.core.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.volume.Chunking;
import java.util.Arrays;

/** The arithmetic of leaves: the pieces of a chunk that are verified one by one. */
public final class Leaves {
    /** The leaf size of new files, unless their volume has another. */
    public static final int DEFAULT_SIZE_BYTES = Chunking.DEFAULT_LEAF_BYTES;

    public static final int MIN_SIZE_BYTES = 4096;

    public static final int MAX_SIZE_BYTES = 16 * 1024 * 1024;

    private Leaves() {}

    /**
     * Returns {@code leafSizeBytes} when it is a valid leaf size.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static int checkSize(int leafSizeBytes) {
        if (leafSizeBytes < MIN_SIZE_BYTES || leafSizeBytes > MAX_SIZE_BYTES) {
            throw new IllegalArgumentException(
                    "leafSizeBytes: " + leafSizeBytes + " (expected: " + MIN_SIZE_BYTES + ".." + MAX_SIZE_BYTES + ")");
        }
        return leafSizeBytes;
    }

    /** The smallest leaf-aligned range of a chunk of {@code chunkLength} bytes that contains {@code wanted}. */
    public static ByteRange covering(ByteRange wanted, long chunkLength, int leafSizeBytes) {
        if (wanted.end() > chunkLength) {
            throw new IllegalArgumentException("wanted: " + wanted + " (expected: within " + chunkLength + " bytes)");
        }
        long from = wanted.offset() / leafSizeBytes * leafSizeBytes;
        long to = (wanted.end() + leafSizeBytes - 1) / leafSizeBytes * leafSizeBytes;
        return new ByteRange(from, wanted.isEmpty() ? 0 : Math.min(to, chunkLength) - from);
    }

    /** The CRC32C values of the leaf-aligned {@code range}, out of those of the whole chunk. */
    public static int[] slice(int[] chunkCrc32c, ByteRange range, int leafSizeBytes) {
        int from = Math.toIntExact(range.offset() / leafSizeBytes);
        int to = Math.toIntExact((range.end() + leafSizeBytes - 1) / leafSizeBytes);
        return Arrays.copyOfRange(chunkCrc32c, from, range.isEmpty() ? from : to);
    }
}

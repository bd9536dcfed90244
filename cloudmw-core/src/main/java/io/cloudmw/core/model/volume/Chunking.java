package io.cloudmw.core.model.volume;

/** How a volume's files are cut into chunks (CloudMW §3, §4.1), and those into leaves. Files that are there already stay as they were cut. */
public sealed interface Chunking {
    /** No chunk is longer: a single S3 PUT ends at 5 GiB and a manifest segment must hold a whole chunk. */
    long MAX_CHUNK_BYTES = 1L << 30;

    /** No chunk has more leaves: a manifest segment must hold a whole chunk. */
    int MAX_CHUNK_LEAVES = 4096;

    /** Small enough to be verified as it streams, large enough that digests stay below 0.02%. */
    int DEFAULT_LEAF_BYTES = 256 << 10;

    int MIN_LEAF_BYTES = 4 << 10;

    /** Bytes of every chunk but the last, for a file of {@code sizeBytes}; at least 1. */
    long chunkSizeBytes(long sizeBytes);

    /** Chunks are verified in leaves of this size; what reads a few bytes reads one. */
    int leafSizeBytes();

    /** No chunk of leaves of this size is longer. */
    static long maxChunkBytes(int leafSizeBytes) {
        return Math.min(MAX_CHUNK_BYTES, (long) leafSizeBytes * MAX_CHUNK_LEAVES);
    }

    private static void checkLeafSize(int bytes) {
        // A power of two: blocks, of races and of switches, consist of whole leaves.
        if (bytes < MIN_LEAF_BYTES || bytes > DEFAULT_LEAF_BYTES || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("leaf size: " + bytes + " (expected: a power of two, " + MIN_LEAF_BYTES
                    + ".." + DEFAULT_LEAF_BYTES + ")");
        }
    }

    /** n chunks of equal size; more than n where a chunk would exceed {@link #maxChunkBytes}. */
    record ByCount(int chunks, int leafSizeBytes) implements Chunking {
        /** In leaves of the usual size. */
        public ByCount(int chunks) {
            this(chunks, DEFAULT_LEAF_BYTES);
        }

        public ByCount {
            if (chunks < 1 || chunks > 100_000) {
                throw new IllegalArgumentException("chunks: " + chunks + " (expected: 1..100000)");
            }
            checkLeafSize(leafSizeBytes);
        }

        @Override
        public long chunkSizeBytes(long sizeBytes) {
            long equal = (sizeBytes + chunks - 1) / chunks;
            return Math.max(1, Math.min(equal, maxChunkBytes(leafSizeBytes)));
        }
    }

    /** As many chunks of this size as it takes. */
    record BySize(long bytes, int leafSizeBytes) implements Chunking {
        /** In leaves of the usual size. */
        public BySize(long bytes) {
            this(bytes, DEFAULT_LEAF_BYTES);
        }

        public BySize {
            checkLeafSize(leafSizeBytes);
            long most = maxChunkBytes(leafSizeBytes);
            if (bytes < 4096 || bytes > most) {
                throw new IllegalArgumentException("chunk size: " + bytes + " (expected: 4096.." + most
                        + ", for leaves of " + leafSizeBytes + " bytes)");
            }
        }

        @Override
        public long chunkSizeBytes(long sizeBytes) {
            return bytes;
        }
    }
}

package io.cloudmw.core.model.volume;

/**
 * The rule by which a volume's files are cut into chunks (CloudMW §3, §4.1), and chunks into leaves. Existing files
 * stay as they were cut.
 */
public sealed interface Chunking {
    /** The longest chunk: a single S3 PUT ends at 5 GiB, and a manifest segment must hold a whole chunk. */
    long MAX_CHUNK_BYTES = 1L << 30;

    /** The most leaves of a chunk: a manifest segment must hold a whole chunk. */
    int MAX_CHUNK_LEAVES = 4096;

    /** The usual leaf size: small enough to verify bytes as they stream, large enough that digests stay below 0.02%. */
    int DEFAULT_LEAF_BYTES = 256 << 10;

    int MIN_LEAF_BYTES = 4 << 10;

    /** The size of every chunk but the last, in a file of {@code sizeBytes}; at least 1. */
    long chunkSizeBytes(long sizeBytes);

    /** The size of the leaves in which chunks are verified; the smallest read is one leaf. */
    int leafSizeBytes();

    /** The longest chunk with leaves of this size. */
    static long maxChunkBytes(int leafSizeBytes) {
        return Math.min(MAX_CHUNK_BYTES, (long) leafSizeBytes * MAX_CHUNK_LEAVES);
    }

    private static void checkLeafSize(int bytes) {
        // A power of two: blocks of races and of switches consist of whole leaves.
        if (bytes < MIN_LEAF_BYTES || bytes > DEFAULT_LEAF_BYTES || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("leaf size: " + bytes + " (expected: a power of two, " + MIN_LEAF_BYTES
                    + ".." + DEFAULT_LEAF_BYTES + ")");
        }
    }

    /** n chunks of equal size; more than n when a chunk would exceed {@link #maxChunkBytes}. */
    record ByCount(int chunks, int leafSizeBytes) implements Chunking {
        /** A rule with leaves of the usual size. */
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

    /** As many chunks of this size as the file needs. */
    record BySize(long bytes, int leafSizeBytes) implements Chunking {
        /** A rule with leaves of the usual size. */
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

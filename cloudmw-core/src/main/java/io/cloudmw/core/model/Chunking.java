package io.cloudmw.core.model;

/** How a volume's files are cut (CloudMW §3, §4.1). */
public sealed interface Chunking {
    /** No chunk is longer: a single S3 PUT ends at 5 GiB and a manifest segment must hold a whole chunk. */
    long MAX_CHUNK_BYTES = 1L << 30;

    /** Bytes of every chunk but the last, for a file of {@code sizeBytes}; at least 1. */
    long chunkSizeBytes(long sizeBytes);

    /** n chunks of equal size; more than n where a chunk would exceed {@link #MAX_CHUNK_BYTES}. */
    record ByCount(int chunks) implements Chunking {
        public ByCount {
            if (chunks < 1 || chunks > 100_000) {
                throw new IllegalArgumentException("chunks: " + chunks + " (expected: 1..100000)");
            }
        }

        @Override
        public long chunkSizeBytes(long sizeBytes) {
            long equal = (sizeBytes + chunks - 1) / chunks;
            return Math.max(1, Math.min(equal, MAX_CHUNK_BYTES));
        }
    }

    /** As many chunks of this size as it takes. */
    record BySize(long bytes) implements Chunking {
        public BySize {
            if (bytes < 4096 || bytes > MAX_CHUNK_BYTES) {
                throw new IllegalArgumentException(
                        "chunk size: " + bytes + " (expected: 4096.." + MAX_CHUNK_BYTES + ")");
            }
        }

        @Override
        public long chunkSizeBytes(long sizeBytes) {
            return bytes;
        }
    }
}

package io.cloudmw.core.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;

/**
 * The cutting of one file into chunks of equal size, of which the last may be shorter; an empty file has none.
 *
 * @param chunkSizeBytes of every chunk but the last
 */
public record ChunkCutter(long fileSizeBytes, long chunkSizeBytes) {
    public ChunkCutter {
        if (fileSizeBytes < 0) {
            throw new IllegalArgumentException("fileSizeBytes: " + fileSizeBytes + " (expected: >= 0)");
        }
        if (chunkSizeBytes < 1) {
            throw new IllegalArgumentException("chunkSizeBytes: " + chunkSizeBytes + " (expected: >= 1)");
        }
    }

    /** Cuts a file of {@code fileSizeBytes} by a volume's rule. */
    public static ChunkCutter of(long fileSizeBytes, Chunking chunking) {
        return new ChunkCutter(fileSizeBytes, chunking.chunkSizeBytes(fileSizeBytes));
    }

    /** The cutting of a version: its own chunk size, or else its volume's rule for a file of its size. */
    public static ChunkCutter of(FileVersion version, Chunking chunking) {
        return version.chunkSizeBytes() > 0
                ? new ChunkCutter(version.sizeBytes(), version.chunkSizeBytes())
                : of(version.sizeBytes(), chunking);
    }

    /** The number of chunks. */
    public long count() {
        return fileSizeBytes / chunkSizeBytes + (fileSizeBytes % chunkSizeBytes == 0 ? 0 : 1);
    }

    /** The range of the file that chunk {@code index} holds. */
    public ByteRange range(long index) {
        if (index < 0 || index >= count()) {
            throw new IndexOutOfBoundsException("index: " + index + " (expected: 0.." + (count() - 1) + ")");
        }
        long offset = index * chunkSizeBytes;
        return new ByteRange(offset, Math.min(chunkSizeBytes, fileSizeBytes - offset));
    }

    /** The chunk that holds the byte at {@code offset} of the file. */
    public long indexOf(long offset) {
        if (offset < 0 || offset >= fileSizeBytes) {
            throw new IndexOutOfBoundsException("offset: " + offset + " (expected: 0.." + (fileSizeBytes - 1) + ")");
        }
        return offset / chunkSizeBytes;
    }
}

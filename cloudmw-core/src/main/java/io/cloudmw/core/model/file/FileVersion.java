package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;

/**
 * A committed version of a file, without its chunks. Immutable: a change makes a new version.
 *
 * @param file its path; in a catalog's record, the path it was committed to
 * @param segmentCount the number of manifest segments that hold its chunks
 * @param manifestSha256 hexadecimal SHA-256 over the segments' SHA-256, in order
 * @param chunkSizeBytes the size of every chunk but the last; 0: as its volume cuts a file of this size
 */
public record FileVersion(
        FilePath file,
        VersionId id,
        long sizeBytes,
        long chunkCount,
        int segmentCount,
        int leafSizeBytes,
        long committedAtMillis,
        String manifestSha256,
        long chunkSizeBytes) {
    /** A version whose chunks have the size that its volume's rule gives. */
    public FileVersion(
            FilePath file,
            VersionId id,
            long sizeBytes,
            long chunkCount,
            int segmentCount,
            int leafSizeBytes,
            long committedAtMillis,
            String manifestSha256) {
        this(file, id, sizeBytes, chunkCount, segmentCount, leafSizeBytes, committedAtMillis, manifestSha256, 0);
    }

    public FileVersion {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("sizeBytes: " + sizeBytes + " (expected: >= 0)");
        }
        if (chunkSizeBytes < 0) {
            throw new IllegalArgumentException("chunkSizeBytes: " + chunkSizeBytes + " (expected: >= 0)");
        }
    }

    /** The same version under this path. */
    public FileVersion at(FilePath path) {
        return new FileVersion(
                path,
                id,
                sizeBytes,
                chunkCount,
                segmentCount,
                leafSizeBytes,
                committedAtMillis,
                manifestSha256,
                chunkSizeBytes);
    }

    /** The same version, committed now and cut into chunks of this size. */
    public FileVersion committed(long atMillis, long chunkBytes) {
        return new FileVersion(
                file, id, sizeBytes, chunkCount, segmentCount, leafSizeBytes, atMillis, manifestSha256, chunkBytes);
    }
}

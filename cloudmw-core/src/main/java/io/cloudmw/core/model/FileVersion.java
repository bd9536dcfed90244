package io.cloudmw.core.model;

/**
 * What one committed version of a file is, without its chunks. Immutable: a change makes a new version.
 *
 * @param file the path it has; in what a catalog keeps of it, the path it was committed to
 * @param segmentCount its chunks are kept in this many manifest segments
 * @param manifestSha256 hexadecimal SHA-256 over the segments' SHA-256, in order
 */
public record FileVersion(
        FilePath file,
        VersionId id,
        long sizeBytes,
        long chunkCount,
        int segmentCount,
        int leafSizeBytes,
        long committedAtMillis,
        String manifestSha256) {
    public FileVersion {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("sizeBytes: " + sizeBytes + " (expected: >= 0)");
        }
    }

    /** The same version of a file that has, or is asked for by, this path. */
    public FileVersion at(FilePath path) {
        return new FileVersion(
                path, id, sizeBytes, chunkCount, segmentCount, leafSizeBytes, committedAtMillis, manifestSha256);
    }
}

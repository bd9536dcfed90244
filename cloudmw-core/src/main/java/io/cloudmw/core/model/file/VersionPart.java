package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;

/**
 * A version of one file whose bytes a new version of another file continues with. The new version shares those of its
 * chunks that are whole chunks there too.
 *
 * @param file the path that names the version, in the volume of the new version
 * @param version must be the current one of its path when the new version is committed
 * @param positionBytes the place of its first byte in the new version
 */
public record VersionPart(FilePath file, VersionId version, long positionBytes) {
    /** The most parts of one new version. */
    public static final int MAX_PARTS = 64;

    public VersionPart {
        if (positionBytes < 0) {
            throw new IllegalArgumentException("positionBytes: " + positionBytes + " (expected: >= 0)");
        }
    }
}

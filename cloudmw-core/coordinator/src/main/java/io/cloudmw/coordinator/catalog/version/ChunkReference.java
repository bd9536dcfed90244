package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.model.VersionId;
import java.util.OptionalInt;

/**
 * The place of a chunk in the manifest of a committed version.
 *
 * @param version the version whose manifest contains the chunk
 * @param segment of that manifest; empty: the version wrote the chunk, whose index is its place
 * @param current whether the version is current; a retired one has no readers but those that began before
 */
public record ChunkReference(VersionId version, OptionalInt segment, boolean current) {
    /** The place of a chunk in the manifest of the version that wrote it. */
    public static ChunkReference ofWriter(VersionId version, boolean current) {
        return new ChunkReference(version, OptionalInt.empty(), current);
    }
}

package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * The references between versions that share chunks. A version that changes part of a file, or continues it with
 * others, references the unchanged chunks by the version that wrote them and by their index there. Only committed
 * versions count, current or retired, since other versions have no readers. Atomic, durable and safe for any thread like
 * the {@link Catalog}.
 */
public interface SharedChunks {
    /**
     * Returns the given chunks that another committed version references; their copies must stay while that version is
     * kept. An unreferenced chunk is never referenced again.
     *
     * @param chunks at most {@value io.cloudmw.core.manifest.ManifestSegment#MAX_CHUNKS}
     */
    Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException;

    /**
     * Returns where a committed version's manifest contains this chunk, a current version's if there is any. If the
     * version is not current, no current version will ever reference the chunk.
     */
    Optional<ChunkReference> namer(ChunkId chunk) throws CloudMwException;

    /**
     * Returns which of these chunks, of other versions, a committed version references. The time depends on how many
     * versions reference the same chunks, not on the size of this one.
     *
     * @param chunks at most {@value io.cloudmw.core.manifest.ManifestSegment#MAX_CHUNKS}
     */
    Set<ChunkId> namedBy(VersionId version, Collection<ChunkId> chunks) throws CloudMwException;
}

package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The references between versions that share chunks. A version that changes part of a file references the unchanged
 * chunks by the version that wrote them. Only committed versions count, current or retired, since other versions have
 * no readers. Atomic, durable and safe for any thread like the {@link Catalog}.
 */
public interface SharedChunks {
    /**
     * Returns the given chunks that another committed version references; their copies must stay while that version is
     * kept. An unreferenced chunk is never referenced again.
     *
     * @param chunks at most {@value io.cloudmw.core.manifest.ManifestSegment#MAX_CHUNKS}
     */
    Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException;

    /** Returns a committed version whose manifest contains this chunk, a current one if there is any. */
    Optional<VersionId> namer(ChunkId chunk) throws CloudMwException;

    /**
     * Returns the runs of chunks that a segment of a committed version shares with other versions, in no order. Takes
     * bounded time.
     */
    List<SharedRun> shared(VersionId version, int segment) throws CloudMwException;
}

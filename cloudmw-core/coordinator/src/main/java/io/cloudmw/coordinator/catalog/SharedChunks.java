package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which versions name which chunks: one that changes part of a file names the chunks that stay as they are by the version that
 * wrote them. Only versions that were committed count, current or retired: others nobody reads. Like all of a {@link Catalog}.
 */
public interface SharedChunks {
    /**
     * Those of these chunks that a committed version other than this one names, and of which copies must stay while that version
     * is kept. What none names will never be named again.
     *
     * @param chunks at most {@value io.cloudmw.core.manifest.ManifestSegment#MAX_CHUNKS}
     */
    Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException;

    /** A committed version whose manifest has the entry of this chunk: a current one if there is. */
    Optional<VersionId> namer(ChunkId chunk) throws CloudMwException;

    /** What a segment of a version that was committed and is kept names of other versions, in no order. Takes bounded time. */
    List<SharedRun> shared(VersionId version, int segment) throws CloudMwException;
}

package io.cloudmw.coordinator;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.RetiredVersion;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The plainest collector there can be, along manifests, to try the catalog's answers by: which chunks of retired versions may be deleted: a chunk goes with the last version that names it, whoever wrote it. Safe for
 * any thread, beside writers and other collectors, and repeatable; two at once may both spare what none else needs.
 */
final class Garbage {
    private final Catalog catalog;

    Garbage(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * The chunks of one segment of a retired version that nothing else needs, with their places. When those of all its segments
     * are deleted the version can be {@link Catalog#forget forgotten}. Holds one segment.
     *
     * @param segment below {@link RetiredVersion#segments}; one that is not there has none
     */
    List<Chunk> of(RetiredVersion retired, int segment) throws CloudMwException {
        Optional<byte[]> bytes = catalog.segment(retired.id(), segment);
        if (bytes.isEmpty()) {
            return List.of();
        }
        List<Chunk> chunks = ManifestSegment.decode(segment, bytes.get()).chunks();
        if (catalog.version(retired.id()).isEmpty()) {
            // Never committed, or about to be forgotten: what it says of chunks of others nobody has checked, or is
            // done with.
            chunks = chunks.stream()
                    .filter(chunk -> chunk.id().version().equals(retired.id()))
                    .toList();
        }
        Set<ChunkId> needed = catalog.namedElsewhere(
                retired.id(), chunks.stream().map(Chunk::id).toList());
        return chunks.stream().filter(chunk -> !needed.contains(chunk.id())).toList();
    }
}

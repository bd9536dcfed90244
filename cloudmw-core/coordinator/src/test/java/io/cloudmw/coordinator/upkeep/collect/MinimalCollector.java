package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A minimal collector along manifests, to test the catalog's answers: it returns which chunks of retired versions may
 * be deleted. A chunk is deleted with the last version that references it. Repeatable, and safe for any thread beside
 * writers and other collectors; two parallel ones may both spare an unneeded chunk.
 */
final class MinimalCollector {
    private final Catalog catalog;

    MinimalCollector(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Returns the chunks of one segment of a retired version that no other version needs, with their locations. When
     * those of all segments are deleted, the version can be {@link Catalog#forget forgotten}. Holds one segment.
     *
     * @param segment below {@link RetiredVersion#segments}; a missing one has no chunks
     */
    List<Chunk> of(RetiredVersion retired, int segment) throws CloudMwException {
        Optional<byte[]> bytes = catalog.segment(retired.id(), segment);
        if (bytes.isEmpty()) {
            return List.of();
        }
        List<Chunk> chunks = ManifestSegment.decode(segment, bytes.get()).chunks();
        if (catalog.version(retired.id()).isEmpty()) {
            // The version was never committed, or is being forgotten: its references to chunks of others are unchecked
            // or no longer needed.
            chunks = chunks.stream()
                    .filter(chunk -> chunk.id().version().equals(retired.id()))
                    .toList();
        }
        Set<ChunkId> needed = catalog.namedElsewhere(
                retired.id(), chunks.stream().map(Chunk::id).toList());
        return chunks.stream().filter(chunk -> !needed.contains(chunk.id())).toList();
    }
}

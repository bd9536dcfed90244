package io.cloudmw.coordinator.upkeep.walk;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A lookup of chunks in the manifests of versions, with the records of their copies. */
public final class ManifestLookup {
    private ManifestLookup() {}

    /** Returns the wanted chunks at these places, as {@link #find(Catalog, VersionId, Map)} does. */
    public static List<ChunkWalk.Stretch> find(Catalog catalog, Map<ChunkId, ChunkReference> wanted)
            throws CloudMwException {
        Map<VersionId, Map<ChunkId, OptionalInt>> byVersion = new LinkedHashMap<>();
        wanted.forEach((chunk, at) -> byVersion
                .computeIfAbsent(at.version(), ignored -> new LinkedHashMap<>())
                .put(chunk, at.segment()));
        List<ChunkWalk.Stretch> found = new ArrayList<>();
        for (Map.Entry<VersionId, Map<ChunkId, OptionalInt>> some : byVersion.entrySet()) {
            found.addAll(find(catalog, some.getKey(), some.getValue()));
        }
        return found;
    }

    /**
     * Returns the wanted chunks that the version references, one stretch per segment; nothing when the version or its
     * volume is gone.
     *
     * @param wanted with the segment of each; empty: the version wrote the chunk
     */
    private static List<ChunkWalk.Stretch> find(Catalog catalog, VersionId id, Map<ChunkId, OptionalInt> wanted)
            throws CloudMwException {
        Optional<FileVersion> version = catalog.version(id);
        Optional<Volume> volume =
                version.isPresent() ? catalog.volume(version.get().file().volume()) : Optional.empty();
        if (version.isEmpty() || volume.isEmpty()) {
            return List.of();
        }
        ChunkCutter cutter = ChunkCutter.of(version.get(), volume.get().chunking());
        ManifestPlan plan = new ManifestPlan(cutter, version.get().leafSizeBytes());
        Set<Integer> segments = new LinkedHashSet<>();
        wanted.forEach((chunk, segment) -> {
            if (segment.isPresent()) {
                segments.add(segment.getAsInt());
            } else if (chunk.index() < cutter.count()) {
                segments.add(plan.segmentOf(chunk.index()));
            }
        });
        List<ChunkWalk.Stretch> found = new ArrayList<>();
        for (int index : segments) {
            Optional<byte[]> bytes = catalog.segment(id, index);
            if (bytes.isPresent()) {
                List<Chunk> chunks = ManifestSegment.decode(index, bytes.get()).chunks().stream()
                        .filter(chunk -> wanted.containsKey(chunk.id()))
                        .toList();
                found.add(
                        new ChunkWalk.Stretch(version.get().file(), volume.get(), ReplicaOverlay.of(catalog, chunks)));
            }
        }
        return found;
    }
}

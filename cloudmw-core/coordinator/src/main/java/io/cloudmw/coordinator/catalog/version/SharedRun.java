package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of consecutive chunks that one version references and another version wrote. Indexes are those in the chunks'
 * ids, which may differ from the places of the chunks in the referencing version.
 *
 * @param owner the version that wrote them
 * @param endIndex index after the last one
 */
public record SharedRun(VersionId owner, long firstIndex, long endIndex) {
    /** The most chunks between the first and the last one of a group of runs. */
    public static final int MAX_SPAN = ManifestSegment.MAX_CHUNKS;

    private static final Comparator<ChunkId> BY_OWNER =
            Comparator.comparing((ChunkId chunk) -> chunk.version().value()).thenComparingLong(ChunkId::index);

    public SharedRun {
        if (firstIndex < 0 || endIndex <= firstIndex) {
            throw new IllegalArgumentException("run: " + firstIndex + " to " + endIndex);
        }
    }

    /** Returns the runs in a segment of {@code version} that other versions wrote, ordered by owner and index. */
    public static List<SharedRun> of(VersionId version, List<Chunk> segment) {
        return of(segment.stream()
                .map(chunk -> chunk.id().stored())
                .filter(chunk -> !chunk.version().equals(version))
                .toList());
    }

    /** Returns the runs that consist of these chunks, ordered by owner and index. */
    public static List<SharedRun> of(Collection<ChunkId> chunks) {
        List<SharedRun> runs = new ArrayList<>();
        for (ChunkId chunk : chunks.stream().sorted(BY_OWNER).distinct().toList()) {
            VersionId owner = chunk.version();
            SharedRun last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (last != null && last.owner.equals(owner) && last.endIndex == chunk.index()) {
                runs.set(runs.size() - 1, new SharedRun(owner, last.firstIndex, last.endIndex + 1));
            } else {
                runs.add(new SharedRun(owner, chunk.index(), chunk.index() + 1));
            }
        }
        return List.copyOf(runs);
    }

    /**
     * Returns the runs in groups, each of one owner and of chunks that are less than {@value #MAX_SPAN} indexes apart. A
     * chunk of a group is found by a search that begins so many indexes before the chunk.
     */
    public static List<List<SharedRun>> grouped(List<SharedRun> runs) {
        Map<VersionId, List<SharedRun>> byOwner = new LinkedHashMap<>();
        for (SharedRun run : runs) {
            byOwner.computeIfAbsent(run.owner, ignored -> new ArrayList<>()).add(run);
        }
        List<List<SharedRun>> groups = new ArrayList<>();
        for (List<SharedRun> ofOne : byOwner.values()) {
            ofOne.sort(Comparator.comparingLong(SharedRun::firstIndex));
            List<SharedRun> group = new ArrayList<>();
            for (SharedRun run : ofOne) {
                if (!group.isEmpty() && run.endIndex - group.get(0).firstIndex > MAX_SPAN) {
                    groups.add(group);
                    group = new ArrayList<>();
                }
                group.add(run);
            }
            groups.add(group);
        }
        return groups;
    }

    /** Returns whether the runs of some owner are in several groups. */
    public static boolean areFarApart(List<SharedRun> runs) {
        return grouped(runs).size()
                > runs.stream().map(SharedRun::owner).distinct().count();
    }

    /** Returns whether the run contains the chunk. */
    public boolean contains(ChunkId chunk) {
        return chunk.version().equals(owner) && chunk.index() >= firstIndex && chunk.index() < endIndex;
    }
}

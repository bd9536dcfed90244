package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The references to chunks of other versions, segment by segment; guarded by the owner. */
final class SharedRuns {
    private final Map<VersionId, TreeMap<Integer, List<SharedRun>>> runs = new HashMap<>();

    void put(VersionId version, int segment, List<SharedRun> shared) {
        if (!shared.isEmpty() || runs.containsKey(version)) {
            runs.computeIfAbsent(version, absent -> new TreeMap<>()).put(segment, shared);
        }
    }

    /** Removes the references of a version; returns the versions that wrote the chunks. */
    Set<VersionId> remove(VersionId version) {
        Set<VersionId> owners = owners(version);
        runs.remove(version);
        return owners;
    }

    Set<VersionId> owners(VersionId version) {
        return of(version).map(SharedRun::owner).collect(Collectors.toSet());
    }

    /** Returns the runs that a version shares. */
    Stream<SharedRun> of(VersionId version) {
        return runs.getOrDefault(version, new TreeMap<>()).values().stream().flatMap(List::stream);
    }

    /** Returns the segment of a version that shares this chunk, if there is one. */
    OptionalInt segment(VersionId version, ChunkId chunk) {
        return runs.getOrDefault(version, new TreeMap<>()).entrySet().stream()
                .filter(segment -> segment.getValue().stream().anyMatch(run -> run.contains(chunk)))
                .mapToInt(Map.Entry::getKey)
                .findFirst();
    }

    /** Returns the versions that reference this chunk and did not write it. */
    Stream<VersionId> naming(ChunkId chunk) {
        return runs.keySet().stream().filter(version -> of(version).anyMatch(run -> run.contains(chunk)));
    }

    /** Returns the versions that reference chunks this one wrote. */
    Stream<VersionId> sharing(VersionId owner) {
        return runs.keySet().stream().filter(version -> owners(version).contains(owner));
    }
}

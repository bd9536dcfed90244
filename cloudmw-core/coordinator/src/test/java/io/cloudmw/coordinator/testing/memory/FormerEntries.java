package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Snapshots, past entries, and how many present and past entries name a version; guarded by the owner. */
final class FormerEntries {
    private final Map<VolumeName, NavigableMap<Long, Snapshot>> snapshots = new HashMap<>();
    private final Map<VolumeName, Long> taken = new HashMap<>();
    private final Map<Long, Map<String, NavigableMap<Long, Former>>> byDirectory = new HashMap<>();
    private final Map<VersionId, Integer> named = new HashMap<>();

    /** A past entry that snapshots see from {@code since} (inclusive) to the number of its key (exclusive). */
    private record Former(VolumeName volume, TreeEntry entry, long since) {}

    /** Returns how many snapshots of a volume were taken. */
    long taken(VolumeName volume) {
        return taken.getOrDefault(volume, 0L);
    }

    Snapshot take(VolumeName volume, String name, long nowMillis) {
        Snapshot snapshot = new Snapshot(volume, name, taken(volume), nowMillis);
        taken.merge(volume, 1L, Long::sum);
        snapshots.computeIfAbsent(volume, ignored -> new TreeMap<>()).put(snapshot.number(), snapshot);
        return snapshot;
    }

    List<Snapshot> of(VolumeName volume) {
        return List.copyOf(snapshots.getOrDefault(volume, new TreeMap<>()).values());
    }

    void remove(Snapshot snapshot) {
        snapshots.getOrDefault(snapshot.volume(), new TreeMap<>()).remove(snapshot.number());
    }

    void keep(VolumeName volume, TreeEntry entry, long since) {
        if (since < taken(volume)) {
            byDirectory
                    .computeIfAbsent(entry.parent(), ignored -> new HashMap<>())
                    .computeIfAbsent(entry.name(), ignored -> new TreeMap<>())
                    .put(taken(volume), new Former(volume, entry, since));
            count(entry, 1);
        }
    }

    /** Changes how many entries name the entry's version. */
    void count(TreeEntry entry, int by) {
        entry.version().ifPresent(version -> named.merge(version, by, Integer::sum));
    }

    boolean isNamed(VersionId version) {
        return named.getOrDefault(version, 0) > 0;
    }

    Set<String> names(long directory) {
        return byDirectory.getOrDefault(directory, Map.of()).keySet();
    }

    Optional<TreeEntry> find(long directory, String name, long number) {
        NavigableMap<Long, Former> of =
                byDirectory.getOrDefault(directory, Map.of()).getOrDefault(name, new TreeMap<>());
        Map.Entry<Long, Former> found = of.higherEntry(number);
        return found != null && found.getValue().since() <= number
                ? Optional.of(found.getValue().entry())
                : Optional.empty();
    }

    /** Drops entries that no snapshot sees; returns the versions they named. */
    Set<VersionId> prune() {
        Set<VersionId> versions = new HashSet<>();
        for (Map<String, NavigableMap<Long, Former>> directory : byDirectory.values()) {
            for (NavigableMap<Long, Former> name : directory.values()) {
                for (Map.Entry<Long, Former> row : new ArrayList<>(name.entrySet())) {
                    Former former = row.getValue();
                    if (!isSeen(former, row.getKey())) {
                        name.remove(row.getKey());
                        drop(former, versions);
                    }
                }
            }
            directory.values().removeIf(Map::isEmpty);
        }
        byDirectory.values().removeIf(Map::isEmpty);
        return versions;
    }

    private boolean isSeen(Former former, long until) {
        return !snapshots
                .getOrDefault(former.volume(), new TreeMap<>())
                .subMap(former.since(), until)
                .isEmpty();
    }

    private void drop(Former former, Set<VersionId> versions) {
        count(former.entry(), -1);
        former.entry().version().ifPresent(versions::add);
    }

    /** Drops all past entries of a volume; returns the versions they named. */
    Set<VersionId> removeVolume(VolumeName volume) {
        snapshots.remove(volume);
        Set<VersionId> versions = prune();
        taken.remove(volume);
        return versions;
    }
}

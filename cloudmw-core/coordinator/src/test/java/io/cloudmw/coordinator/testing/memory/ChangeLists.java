package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The change log in maps. Its catalog adds to it within its own step. */
final class ChangeLists implements ChangeLog {
    @GuardedBy("this")
    private final Map<VolumeName, VolumeChanges> volumes = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    private volatile Consumer<VolumeName> listener = volume -> {};

    /** The changes of one volume. */
    private static final class VolumeChanges {
        private final TreeMap<Long, Change> kept = new TreeMap<>();
        private long position;

        void add(Change change) {
            position++;
            kept.put(position, change.at(position));
        }

        int prune(long beforeMillis, long keep) {
            int pruned = 0;
            while (pruned < PRUNE_BATCH
                    && !kept.isEmpty()
                    && (kept.size() > keep || kept.firstEntry().getValue().atMillis() < beforeMillis)) {
                kept.pollFirstEntry();
                pruned++;
            }
            return pruned;
        }
    }

    /** Adds a change; called when nothing of the step can fail any more. */
    void add(VolumeName volume, Change change) {
        synchronized (this) {
            volumes.computeIfAbsent(volume, ignored -> new VolumeChanges()).add(change);
        }
        listener.accept(volume);
    }

    @Override
    public synchronized long position(VolumeName volume) throws CloudMwException {
        return changes(volume).position;
    }

    @Override
    public synchronized ChangePage after(VolumeName volume, long after, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        VolumeChanges changes = changes(volume);
        List<Change> found = changes.kept.tailMap(after, false).values().stream()
                .limit(limit)
                .toList();
        return ChangePage.found(after, found, changes.position);
    }

    @Override
    public synchronized int prune(long beforeMillis, long keep) {
        return volumes.values().stream()
                .mapToInt(changes -> changes.prune(beforeMillis, keep))
                .sum();
    }

    @Override
    public void onChange(Consumer<VolumeName> told) {
        listener = told;
    }

    synchronized void close() {
        closed = true;
    }

    @GuardedBy("this")
    private VolumeChanges changes(VolumeName volume) throws CloudMwException {
        if (closed) {
            throw CatalogErrors.closed();
        }
        VolumeChanges found = volumes.get(volume);
        return found == null ? new VolumeChanges() : found;
    }
}

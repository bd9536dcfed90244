package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.SnapshotTreeStore;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The snapshots of existing volumes in maps; guarded by the owner. */
final class SnapshotMaps {
    private final TreeMaps names;

    SnapshotMaps(TreeMaps names) {
        this.names = names;
    }

    Snapshot create(VolumeName volume, String name, long nowMillis) throws CloudMwException {
        List<Snapshot> present = names.former().of(volume);
        if (present.stream().anyMatch(snapshot -> snapshot.name().equals(name))) {
            throw PathErrors.snapshotExists(volume, name);
        }
        if (present.size() >= SnapshotRecords.MAX_SNAPSHOTS) {
            throw PathErrors.tooManySnapshots(volume);
        }
        return names.former().take(volume, name, nowMillis);
    }

    Snapshot find(VolumeName volume, String name) throws CloudMwException {
        return names.former().of(volume).stream()
                .filter(snapshot -> snapshot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> PathErrors.snapshotNotFound(volume, name));
    }

    Snapshot remove(VolumeName volume, String name) throws CloudMwException {
        Snapshot removed = find(volume, name);
        names.former().remove(removed);
        return removed;
    }

    Tree<RuntimeException> tree(Snapshot snapshot) {
        return new Tree<>(new SnapshotTreeStore<RuntimeException>() {
            @Override
            public OptionalLong root(VolumeName volume) {
                return names.root(volume);
            }

            @Override
            public Optional<TreeEntry> child(long directory, String name) {
                return names.child(directory, name, snapshot.number());
            }
        });
    }

    List<TreeEntry> after(Snapshot snapshot, long directory, String name, int limit) {
        return names.after(directory, name, limit, snapshot.number());
    }
}

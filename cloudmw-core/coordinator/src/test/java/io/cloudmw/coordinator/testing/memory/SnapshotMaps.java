package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.FormerTree;
import io.cloudmw.coordinator.catalog.Snapshots;
import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.TreeEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Snapshots of volumes that are there, in maps; its owner locks. */
final class SnapshotMaps {
    private final TreeMaps names;

    SnapshotMaps(TreeMaps names) {
        this.names = names;
    }

    Snapshot create(VolumeName volume, String name, long nowMillis) throws CloudMwException {
        List<Snapshot> present = names.former().of(volume);
        if (present.stream().anyMatch(snapshot -> snapshot.name().equals(name))) {
            throw CatalogErrors.snapshotExists(volume, name);
        }
        if (present.size() >= Snapshots.MAX_SNAPSHOTS) {
            throw CatalogErrors.tooManySnapshots(volume);
        }
        return names.former().take(volume, name, nowMillis);
    }

    Snapshot find(VolumeName volume, String name) throws CloudMwException {
        return names.former().of(volume).stream()
                .filter(snapshot -> snapshot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> CatalogErrors.snapshotNotFound(volume, name));
    }

    Snapshot remove(VolumeName volume, String name) throws CloudMwException {
        Snapshot removed = find(volume, name);
        names.former().remove(removed);
        return removed;
    }

    Tree<RuntimeException> tree(Snapshot snapshot) {
        return new Tree<>(new FormerTree<RuntimeException>() {
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

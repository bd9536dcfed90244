package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.lease.BackgroundJobs;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.time.WallClock;
import java.util.List;
import java.util.Optional;

/** The snapshots of volumes: creates, lists, reads, restores and removes them. Safe for any thread. */
public final class VolumeSnapshots {
    private final Catalog catalog;
    private final SnapshotRecords snapshots;
    private final WallClock clock;

    public VolumeSnapshots(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.snapshots = catalog.snapshots();
        this.clock = clock;
    }

    /**
     * Takes a snapshot of the names of a volume.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException as {@link SnapshotRecords#create}; {@code INVALID_ARGUMENT} when the name is malformed
     */
    public Snapshot create(VolumeName volume, String name, Optional<CallId> call) throws CloudMwException {
        try {
            return snapshots.create(volume, Snapshot.checkName(name), ChangeRequest.of(call, clock));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns all snapshots of a volume, the oldest first.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}
     */
    public List<Snapshot> of(VolumeName volume) throws CloudMwException {
        return snapshots.of(volume);
    }

    /**
     * Removes a snapshot.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND}
     */
    public Snapshot remove(VolumeName volume, String name, Optional<CallId> call) throws CloudMwException {
        return snapshots.remove(volume, name, ChangeRequest.of(call, clock));
    }

    /**
     * Describes the file at a path in a snapshot.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND}
     */
    public FileReplication stat(String snapshot, FilePath file) throws CloudMwException {
        CurrentFile found = snapshots.file(snapshot, file).orElseThrow(() -> PathErrors.notInSnapshot(file, snapshot));
        return new FileReplication(
                found, catalog.underReplicatedChunks(found.version().id()));
    }

    /**
     * Returns what a path named in a snapshot.
     *
     * @param path {@code /} or {@code /a/b}
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when it is malformed
     */
    public CurrentEntry entry(String snapshot, VolumeName volume, String path) throws CloudMwException {
        Optional<FilePath> below = DirectoryPath.of(volume, path).asEntry();
        if (below.isEmpty()) {
            Snapshot seen = snapshots.of(volume).stream()
                    .filter(one -> one.name().equals(snapshot))
                    .findFirst()
                    .orElseThrow(() -> directoryNotFound(snapshot, volume, path));
            return CurrentEntry.directory(Optional.of(new KeptDirectory(seen.createdAtMillis(), Attributes.NONE)));
        }
        return snapshots
                .entry(snapshot, below.get())
                .orElseThrow(() -> PathErrors.notInSnapshot(below.get(), snapshot));
    }

    private static CloudMwException directoryNotFound(String snapshot, VolumeName volume, String directory) {
        return new CloudMwException(
                ErrorCode.NOT_FOUND, "directory " + volume + "@" + snapshot + ":" + directory + " not found");
    }

    /**
     * Lists a directory in a snapshot.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}; 0 for the most
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there was no such directory
     */
    public Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        Page<DirectoryEntry> page =
                snapshots.list(snapshot, volume, directory, pageToken, limit == 0 ? Catalog.MAX_PAGE : limit);
        if (page.items().isEmpty()
                && pageToken.isEmpty()
                && !directory.equals("/")
                && !snapshots
                        .entry(snapshot, new FilePath(volume, directory))
                        .map(CurrentEntry::isDirectory)
                        .orElse(false)) {
            throw directoryNotFound(snapshot, volume, directory);
        }
        return page;
    }

    /**
     * Restores the file at a path in a snapshot, or the directory if that stays when it is empty. A directory that does
     * not is no error: its files restore it.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return the version; empty: a directory
     * @throws CloudMwException as {@link SnapshotRecords#restore}, {@link Catalog#restoreDirectory}
     */
    public Optional<FileVersion> restore(String snapshot, FilePath path, Optional<CallId> call)
            throws CloudMwException {
        ChangeRequest request = ChangeRequest.of(call, clock);
        Optional<CurrentEntry> then = snapshots.entry(snapshot, path).filter(CurrentEntry::isDirectory);
        if (then.isEmpty()) {
            return Optional.of(snapshots.restore(snapshot, path, request));
        }
        if (then.get().kept().isPresent()) {
            catalog.restoreDirectory(path, then.get().kept().get(), request.nowMillis());
        }
        return Optional.empty();
    }

    /** Drops all entries that no snapshot sees any more, a page at a time. */
    public int prune(BackgroundJobs.HeldLease right) throws CloudMwException {
        int pages = 0;
        String token = "";
        do {
            token = snapshots.prune(right.lease(), token, Catalog.MAX_PAGE, clock.millis());
            pages++;
        } while (!token.isEmpty());
        return pages;
    }
}

package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import java.util.List;
import java.util.Optional;

/**
 * The snapshots of volumes and the entries they preserve. Each tree entry records the snapshot since which it is
 * unchanged. When an entry changes and a snapshot may see its old form, that form is kept as a past entry. A version
 * that a present or past entry names counts as current for upkeep; it is retired with the last such entry. Atomic,
 * durable and safe for any thread like the {@link Catalog}.
 */
public interface SnapshotRecords {
    /** The most snapshots of a volume at once. */
    int MAX_SNAPSHOTS = 256;

    /**
     * Takes a snapshot of the names of a volume. The time does not depend on the number of names.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code ALREADY_EXISTS}; {@code INVALID_ARGUMENT} when there
     *     are {@value #MAX_SNAPSHOTS} already
     */
    Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException;

    /** Takes a snapshot without deduplication. */
    default Snapshot create(VolumeName volume, String name, long nowMillis) throws CloudMwException {
        return create(volume, name, ChangeRequest.once(nowMillis));
    }

    /**
     * Returns all snapshots of a volume, the oldest first.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}
     */
    List<Snapshot> of(VolumeName volume) throws CloudMwException;

    /**
     * Removes a snapshot. A later {@link #prune} drops the entries that only this snapshot preserved.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND}
     */
    Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException;

    /** Removes a snapshot without deduplication. */
    default Snapshot remove(VolumeName volume, String name) throws CloudMwException {
        return remove(volume, name, ChangeRequest.once(0));
    }

    /**
     * Returns what a path named in a snapshot: a file or a directory; empty when it named nothing.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot
     */
    Optional<CurrentEntry> entry(String snapshot, FilePath path) throws CloudMwException;

    /** Returns the file at a path in a snapshot; empty when there was no file. Fails as {@link #entry} does. */
    default Optional<CurrentFile> file(String snapshot, FilePath path) throws CloudMwException {
        return entry(snapshot, path).flatMap(CurrentEntry::file);
    }

    /**
     * Lists a directory in a snapshot, as {@link Catalog#list}.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot;
     *     {@code INVALID_ARGUMENT}
     */
    Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException;

    /**
     * Restores a file at its path: the version and the attributes that the snapshot has. A repeated call changes
     * nothing.
     *
     * @return the restored version
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot or no such
     *     file in it; the errors of {@link Catalog#checkPath} for the path
     */
    FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException;

    /** Restores a file without deduplication. */
    default FileVersion restore(String snapshot, FilePath file, long nowMillis) throws CloudMwException {
        return restore(snapshot, file, ChangeRequest.once(nowMillis));
    }

    /**
     * Drops a page of past entries that no snapshot sees, and retires the versions that only those entries named.
     *
     * @param pageToken the result of the previous call; empty: from the beginning
     * @param limit 1..{@value Catalog#MAX_PAGE}
     * @return the token of the next page; empty: there is none
     * @throws CloudMwException {@code LEASE_LOST}
     */
    String prune(Lease lease, String pageToken, int limit, long nowMillis) throws CloudMwException;
}

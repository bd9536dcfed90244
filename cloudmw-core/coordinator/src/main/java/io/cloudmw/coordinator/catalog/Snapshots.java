package io.cloudmw.coordinator.catalog;

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
 * How names were. An entry says since which snapshot it is as it is; when it changes and a snapshot may see it as it was, what it was
 * goes into the past. A version that an entry of the present or the past names is current, as far as upkeep is concerned; with the last it
 * is retired. Like all of a {@link Catalog}.
 */
public interface Snapshots {
    /** A volume has at most so many at once. */
    int MAX_SNAPSHOTS = 256;

    /**
     * Keeps the names of a volume as they are now. Takes the same time however many there are.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code ALREADY_EXISTS}; {@code INVALID_ARGUMENT} when there are
     *     {@value #MAX_SNAPSHOTS}
     */
    Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException;

    /** Keeps the names; tried once. */
    default Snapshot create(VolumeName volume, String name, long nowMillis) throws CloudMwException {
        return create(volume, name, ChangeRequest.once(nowMillis));
    }

    /**
     * All of a volume, the oldest first.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}
     */
    List<Snapshot> of(VolumeName volume) throws CloudMwException;

    /**
     * Keeps it no more. What only it kept goes when {@link #prune} comes by.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND}
     */
    Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException;

    /** Keeps it no more; tried once. */
    default Snapshot remove(VolumeName volume, String name) throws CloudMwException {
        return remove(volume, name, ChangeRequest.once(0));
    }

    /**
     * What a path named then; empty when it named no file.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot
     */
    Optional<CurrentFile> file(String snapshot, FilePath path) throws CloudMwException;

    /**
     * What was in a directory then, as {@link Catalog#list}.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot; {@code INVALID_ARGUMENT}
     */
    Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException;

    /**
     * Lets a path name again what it named then: the same version, with the attributes it had. Done already: nothing changes.
     *
     * @return that version
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when there is no such snapshot or no such file in it;
     *     what {@link Catalog#checkPath} says of the path
     */
    FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException;

    /** Lets a path name again what it named then; tried once. */
    default FileVersion restore(String snapshot, FilePath file, long nowMillis) throws CloudMwException {
        return restore(snapshot, file, ChangeRequest.once(nowMillis));
    }

    /**
     * Drops entries of the past that no snapshot sees, and retires what they were the last to name. Looks at a page of them.
     *
     * @param pageToken what the last call gave; empty: from the beginning
     * @param limit 1..{@value Catalog#MAX_PAGE}
     * @return the token of the next page; empty: there is none
     * @throws CloudMwException {@code LEASE_LOST}
     */
    String prune(Lease lease, String pageToken, int limit, long nowMillis) throws CloudMwException;
}

package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;

/**
 * The progress of a recovery, recorded in the new catalog, so that a recovery from the same backup can be resumed.
 * Confined to one thread.
 */
final class RecoveryProgress {
    private final UpkeepNotes notes;
    private final Lease lease;
    private final String key;
    private final String backup;

    RecoveryProgress(UpkeepNotes notes, Lease lease, VolumeName volume, BackupRoot root) {
        this.notes = notes;
        this.lease = lease;
        this.key = "recover/" + volume;
        this.backup = root.cluster() + "/" + root.number() + "/" + root.takenAtMillis() + ":";
    }

    /** Returns the last recorded path; empty: none of this backup. */
    String path() throws CloudMwException {
        String noted = notes.startingWith(key).getOrDefault(key, "");
        return noted.startsWith(backup) ? noted.substring(backup.length()) : "";
    }

    /** Records that all files up to this path are in the catalog. */
    void note(String path) throws CloudMwException {
        notes.put(lease, key, backup + path);
    }

    /** Removes the record, since nothing was begun or everything is done. */
    void clear() throws CloudMwException {
        notes.put(lease, key, "");
    }
}

package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Notes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;

/** How far a recovery is, noted in the catalog that it writes to: for one that goes on with the same backup. One thread's. */
final class Progress {
    private final Notes notes;
    private final Lease lease;
    private final String key;
    private final String backup;

    Progress(Notes notes, Lease lease, VolumeName volume, BackupRoot root) {
        this.notes = notes;
        this.lease = lease;
        this.key = "recover/" + volume;
        this.backup = root.cluster() + "/" + root.number() + "/" + root.takenAtMillis() + ":";
    }

    /** The last path that was noted; empty: none of this backup. */
    String path() throws CloudMwException {
        String noted = notes.startingWith(key).getOrDefault(key, "");
        return noted.startsWith(backup) ? noted.substring(backup.length()) : "";
    }

    /** All files up to this path are in the catalog. */
    void note(String path) throws CloudMwException {
        notes.put(lease, key, backup + path);
    }

    /** Nothing was begun, or nothing is left to do. */
    void clear() throws CloudMwException {
        notes.put(lease, key, "");
    }
}

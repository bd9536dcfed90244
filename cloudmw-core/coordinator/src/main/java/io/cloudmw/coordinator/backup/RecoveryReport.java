package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Volume;
import java.util.List;
import java.util.Map;

/**
 * The result of a recovery.
 *
 * @param root the backup it was made of
 * @param volume as it is now
 * @param files in it
 * @param bytes of these files
 * @param copies found
 * @param refused findings that were not used, with the reasons
 * @param unreadable stores that could not be read, with the reasons
 */
public record RecoveryReport(
        BackupRoot root,
        Volume volume,
        long files,
        long bytes,
        Copies copies,
        List<String> refused,
        Map<StoreId, String> unreadable) {
    public RecoveryReport {
        refused = List.copyOf(refused);
        unreadable = Map.copyOf(unreadable);
    }

    /**
     * The copies found of the files' chunks.
     *
     * @param chunks of all files
     * @param found copies, where the manifest says or elsewhere
     * @param moved of these, copies elsewhere
     * @param missing copies that are neither where the manifest says nor elsewhere
     * @param corrupt copies whose bytes are wrong, if they were read
     * @param lostFiles files with a chunk without a copy, though all its stores were read
     * @param unseenFiles files with a chunk without a copy, of which some store was not read
     */
    public record Copies(
            long chunks, long found, long moved, long missing, long corrupt, long lostFiles, long unseenFiles) {}
}

package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Volume;
import java.util.List;
import java.util.Map;

/**
 * What a recovery did.
 *
 * @param root the backup it was made of
 * @param volume as it is now
 * @param files in it
 * @param bytes of these files
 * @param copies found
 * @param refused what was found and not used, and why
 * @param unreadable stores that could not be read, and why
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
     * What was found of the files' chunks.
     *
     * @param chunks of all files
     * @param found copies where the manifest says, or elsewhere
     * @param moved of these, elsewhere
     * @param missing not where the manifest says, nor elsewhere
     * @param corrupt copies whose bytes are wrong, if they were read
     * @param lostFiles with a chunk of which no copy was found, though all stores it should be in were read
     * @param unseenFiles with a chunk of which no copy was found, but not all of those stores were read
     */
    public record Copies(
            long chunks, long found, long moved, long missing, long corrupt, long lostFiles, long unseenFiles) {}
}

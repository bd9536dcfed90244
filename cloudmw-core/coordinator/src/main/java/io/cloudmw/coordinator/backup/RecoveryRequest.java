package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import java.util.OptionalLong;

/**
 * The request to recover a volume.
 *
 * @param volume its former name
 * @param as its new name
 * @param from the first stores to read; stores that backups there name are read, too. A store's location given here
 *     overrides the backup's
 * @param cluster the prefix of the former cluster's {@link BackupRoot#cluster}; empty: the stores have backups of one
 *     cluster only
 * @param number the number of the backup; empty: the newest valid one
 * @param verify read every copy of every chunk
 * @param resume continue an interrupted recovery: the volume may exist
 */
public record RecoveryRequest(
        VolumeName volume,
        VolumeName as,
        List<Store> from,
        String cluster,
        OptionalLong number,
        boolean verify,
        boolean resume) {
    public RecoveryRequest {
        from = List.copyOf(from);
    }
}

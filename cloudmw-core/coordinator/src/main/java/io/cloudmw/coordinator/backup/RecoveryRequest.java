package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import java.util.OptionalLong;

/**
 * What is to be recovered.
 *
 * @param volume as it was called
 * @param as as it is to be called
 * @param from where to look first; the stores that backups found there name are looked at as well. Where a store is said to be here
 *     is believed rather than what they say
 * @param cluster whose volume it was, as {@link BackupRoot#cluster} begins; empty: there are backups of one cluster only
 * @param number of the backup; empty: the newest that is right
 * @param verify read every copy of every chunk
 * @param resume go on with a recovery that was interrupted: the volume may exist
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

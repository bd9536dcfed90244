package io.cloudmw.client;

import io.cloudmw.client.backup.Backup;
import io.cloudmw.client.backup.BackupOptions;
import io.cloudmw.client.backup.BackupReport;
import io.cloudmw.client.backup.run.BackupRunner;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import java.util.List;
import java.util.Optional;

/**
 * The operations on backups: copies of what the catalog says of a volume, manifests included, as files in stores. The
 * command {@code cloudmw recover} makes the volume again from them. The bytes of the files are not copied.
 *
 * <p>Calls block, and fail when the client is closed. Safe for any thread.
 */
public final class BackupOperations {
    private final BackupRunner runner;

    BackupOperations(BackupRunner runner) {
        this.runner = runner;
    }

    /**
     * Backs up a volume: the changes since its last backup, or everything when there is no backup or the changes are not
     * known any more. An interrupted backup is continued.
     *
     * @return the result
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code INVALID_ARGUMENT} when the volume itself is the
     *     destination; {@code CONFLICT} when another backup of the volume was made meanwhile, or the coordinator has
     *     forgotten changes since this one began; {@code OVERLOADED} when the volume changes faster than it is exported
     */
    public BackupReport backup(VolumeName volume, BackupOptions options) throws CloudMwException {
        return runner.backup(volume, options);
    }

    /**
     * Lists the backups of a volume, the oldest first. The root of each is read.
     *
     * @param destination as {@link BackupOptions#destination}
     * @return the backups
     * @throws CloudMwException {@code VOLUME_NOT_FOUND} when the destination does not exist
     */
    public List<Backup> list(VolumeName volume, Optional<VolumeName> destination) throws CloudMwException {
        return runner.list(volume, destination);
    }
}

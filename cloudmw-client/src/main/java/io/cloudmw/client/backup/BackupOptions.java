package io.cloudmw.client.backup;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * The settings of a backup. Immutable.
 *
 * @param destination existing volume that takes the backup; empty: the volume {@code NAME-backup}, which is created with
 *     the same stores
 * @param keep number of backups that stay, the newest ones; at least 1
 * @param whole whether every file is exported, not only the changes since the last backup
 * @param listener gets the bytes written so far
 */
public record BackupOptions(Optional<VolumeName> destination, int keep, boolean whole, TransferListener listener) {
    /** The default of {@link #keep}. */
    public static final int DEFAULT_KEEP = 7;

    /** Checks the limits. */
    public BackupOptions {
        if (keep < 1) {
            throw new IllegalArgumentException("keep: " + keep + " (expected: >= 1)");
        }
    }

    /** The defaults: the volume's own backup volume, 7 backups, changes only, no listener. */
    public static BackupOptions defaults() {
        return new BackupOptions(Optional.empty(), DEFAULT_KEEP, false, TransferListener.NONE);
    }
}

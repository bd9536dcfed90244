package io.cloudmw.client.backup;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * Options for a backup of a volume.
 *
 * @param destination the volume that holds the backup, which must exist; empty: a volume of its own beside it, with the
 *     same stores
 * @param keep the number of the volume's newest backups that stay; at least 1
 * @param whole whether to export everything, not only changes since the last backup
 * @param listener is told the bytes written
 */
public record BackupOptions(Optional<VolumeName> destination, int keep, boolean whole, TransferListener listener) {
    /** The number of backups that stay by default. */
    public static final int DEFAULT_KEEP = 7;

    public BackupOptions {
        if (keep < 1) {
            throw new IllegalArgumentException("keep: " + keep + " (expected: >= 1)");
        }
    }

    public static BackupOptions defaults() {
        return new BackupOptions(Optional.empty(), DEFAULT_KEEP, false, TransferListener.NONE);
    }
}

package io.cloudmw.client.backup;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * How to back a volume up.
 *
 * @param destination the volume it is kept in, which must exist; empty: one of its own beside it, with the same stores
 * @param keep so many backups of the volume stay, the newest ones; at least 1
 * @param whole export everything, not only what changed since the last backup
 * @param listener told how many bytes are written
 */
public record BackupOptions(Optional<VolumeName> destination, int keep, boolean whole, TransferListener listener) {
    /** Backups that stay unless another number is asked for. */
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

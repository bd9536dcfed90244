package io.cloudmw.client.backup;

import io.cloudmw.core.model.FilePath;

/**
 * The result of a backup.
 *
 * @param file root of the backup; when nothing has changed since the newest backup, the root of that
 * @param backup that was made; when nothing has changed, the newest one
 * @param unchanged true when nothing has changed since the newest backup, so that no backup was made
 * @param whole true when every file was exported, not only the changes
 * @param files number of existing files that were exported
 * @param bytes written, without the root
 * @param resumed true when the backup continued an interrupted one
 * @param pruned number of old backups that were removed
 */
public record BackupReport(
        FilePath file,
        Backup backup,
        boolean unchanged,
        boolean whole,
        long files,
        long bytes,
        boolean resumed,
        int pruned) {}

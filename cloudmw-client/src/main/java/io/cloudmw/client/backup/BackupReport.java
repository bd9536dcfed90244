package io.cloudmw.client.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.FilePath;

/**
 * The results of a backup.
 *
 * @param file the root's path; of the newest backup where nothing has changed since
 * @param unchanged whether nothing has changed, so that no backup was made
 * @param whole whether everything was exported
 * @param files present files that were exported
 * @param bytes bytes written, without the root's
 * @param resumed whether an interrupted backup was continued
 * @param pruned backups that were removed
 */
public record BackupReport(
        FilePath file,
        BackupRoot root,
        boolean unchanged,
        boolean whole,
        long files,
        long bytes,
        boolean resumed,
        int pruned) {}

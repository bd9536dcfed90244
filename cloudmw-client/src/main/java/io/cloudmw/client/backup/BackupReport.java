package io.cloudmw.client.backup;

import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.model.FilePath;

/**
 * What a backup did.
 *
 * @param file the root's; of the newest backup, where nothing has changed since
 * @param unchanged nothing has changed since: no backup was made
 * @param whole everything was exported
 * @param files exported: present ones
 * @param bytes written, the root's not counted
 * @param resumed it went on with one that was interrupted
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

package io.cloudmw.client.backup;

import io.cloudmw.core.model.VolumeName;

/**
 * A backup of a volume, as its root describes it.
 *
 * @param volume that was backed up
 * @param number counts the backups of the volume, from 1
 * @param takenAtMillis commit of its last part, in milliseconds since 1970
 * @param position in the changes of the volume up to which the backup goes
 * @param parts number of files that the backup consists of, without the root
 * @param sizeBytes total of its parts
 */
public record Backup(VolumeName volume, long number, long takenAtMillis, long position, int parts, long sizeBytes) {}

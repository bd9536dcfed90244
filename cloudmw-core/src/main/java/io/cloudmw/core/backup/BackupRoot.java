package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * A backup: its root names everything it consists of, and is written last. Roots are found in stores by the names of their
 * chunks: versions of roots begin with {@value #PREFIX}, which no other version does.
 *
 * @param cluster the one whose volume it is: {@link io.cloudmw.coordinator.catalog.Catalog#clusterId}
 * @param volume as it was
 * @param stores those that the volume and the backup are kept in
 * @param number counts the backups of a volume of one cluster, from 1. A volume that was recovered is another cluster's: its
 *     backups are counted anew, so roots of two clusters may have one number
 * @param takenAtMillis when the last part was committed
 * @param position of the volume's changes: what is in the parts is the volume as it was there
 * @param parts in the order in which they are to be applied; the first begins with an empty volume
 * @param cursor of a draft: where the backup that is under way goes on
 */
public record BackupRoot(
        String cluster,
        Volume volume,
        List<Store> stores,
        long number,
        long takenAtMillis,
        long position,
        List<BackupPart> parts,
        Optional<ExportCursor> cursor) {
    /** A random UUID has a 4 in the place of the last zero. */
    public static final String PREFIX = "0000000000000";

    public BackupRoot {
        stores = List.copyOf(stores);
        parts = List.copyOf(parts);
        if (number < 1) {
            throw new IllegalArgumentException("number: " + number + " (expected: >= 1)");
        }
    }

    /** The name of a new root's version, which nobody else has. */
    public static VersionId newVersion() {
        return new VersionId(PREFIX + VersionId.random().value().substring(PREFIX.length()));
    }

    public static boolean isRoot(VersionId version) {
        return version.value().startsWith(PREFIX);
    }

    /** Bytes of all its parts. */
    public long sizeBytes() {
        return parts.stream().mapToLong(part -> part.file().sizeBytes()).sum();
    }
}

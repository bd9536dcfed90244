package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * The root of a backup, which names all its parts and is written last. Roots are found in stores by the names of their
 * chunks: only versions of roots begin with {@value #PREFIX}.
 *
 * @param cluster the id of the volume's cluster
 * @param volume as it was
 * @param stores that hold the volume and the backup
 * @param number counts the backups of a volume of one cluster, from 1. A recovered volume belongs to another cluster,
 *     which counts anew, so roots of two clusters may have one number
 * @param takenAtMillis when the last part was committed
 * @param position of the volume's change log; the parts contain the volume at this position
 * @param parts in the order in which they are applied; the first begins with an empty volume
 * @param cursor of an unfinished backup: where it continues
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
    /** The prefix; a random UUID has a 4 in the place of its last zero. */
    public static final String PREFIX = "0000000000000";

    public BackupRoot {
        stores = List.copyOf(stores);
        parts = List.copyOf(parts);
        if (number < 1) {
            throw new IllegalArgumentException("number: " + number + " (expected: >= 1)");
        }
    }

    /** Returns a unique version id for a new root. */
    public static VersionId newVersion() {
        return new VersionId(PREFIX + VersionId.random().value().substring(PREFIX.length()));
    }

    public static boolean isRoot(VersionId version) {
        return version.value().startsWith(PREFIX);
    }

    /** Returns the size of all parts in bytes. */
    public long sizeBytes() {
        return parts.stream().mapToLong(part -> part.file().sizeBytes()).sum();
    }
}

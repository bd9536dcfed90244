package io.cloudmw.hadoop.volume;

import io.cloudmw.client.nio.ClusterUri;
import io.cloudmw.core.model.VolumeName;
import java.io.FileNotFoundException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Time;

/**
 * The names of a file system: which path names what. {@code /.snapshot/NAME} below a volume's root is the snapshot of
 * that name. Immutable.
 */
public final class PathNames {
    /** The directory of the snapshots in the root of a volume. */
    public static final String SNAPSHOTS = ".snapshot";

    private static final DateTimeFormatter SNAPSHOT =
            DateTimeFormatter.ofPattern("'s'yyyyMMdd-HHmmss-SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Optional<VolumeName> volume;

    /** @param clusterUri the cluster, and the volume if the file system has only one */
    public PathNames(ClusterUri clusterUri) {
        this.volume = clusterUri.volume();
    }

    /** The name of a snapshot that is made now and was given none. */
    public static String snapshotName() {
        return SNAPSHOT.format(Instant.ofEpochMilli(Time.now()));
    }

    /**
     * The place that a path names.
     *
     * @param path absolute
     * @throws FileNotFoundException when its first name cannot be the name of a volume, so that there is no such file
     */
    public NamedPath of(Path path) throws FileNotFoundException {
        String names = path.toUri().getPath();
        if (volume.isPresent()) {
            return within(volume.get(), names.isEmpty() ? "/" : names);
        }
        if (names.length() < 2) {
            return NamedPath.VOLUMES;
        }
        int slash = names.indexOf('/', 1);
        try {
            VolumeName first = new VolumeName(names.substring(1, slash < 0 ? names.length() : slash));
            return within(first, slash < 0 ? "/" : names.substring(slash));
        } catch (IllegalArgumentException e) {
            FileNotFoundException missing = new FileNotFoundException(path + ": no volume can have this name: "
                    + e.getMessage() + " (expected: cloudmw://host:port/volume/path)");
            missing.initCause(e);
            throw missing;
        }
    }

    private static NamedPath within(VolumeName volume, String path) {
        String[] names = path.split("/", 4);
        if (names.length < 2 || !names[1].equals(SNAPSHOTS)) {
            return new NamedPath(Optional.of(volume), Optional.empty(), path, false);
        }
        return names.length == 2 || names[2].isEmpty()
                ? new NamedPath(Optional.of(volume), Optional.empty(), "/", true)
                : new NamedPath(
                        Optional.of(volume),
                        Optional.of(names[2]),
                        names.length < 4 || names[3].isEmpty() ? "/" : "/" + names[3],
                        false);
    }

    /** The root of the volume of a path; the path itself must be qualified. */
    public Path rootOf(Path path) throws FileNotFoundException {
        NamedPath named = of(path);
        return new Path(
                path,
                volume.isPresent() || named.volume().isEmpty()
                        ? "/"
                        : "/" + named.volume().get());
    }

    /** The path of a volume's root, without scheme and authority. */
    public Path rootOf(VolumeName of) {
        return new Path(volume.isPresent() ? "/" : "/" + of);
    }
}

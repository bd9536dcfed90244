package io.cloudmw.iceberg.file;

import io.cloudmw.client.nio.ClusterUri;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.net.URI;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * A location of Iceberg: {@code cloudmw://host:port[,host:port]/volume/path}, or
 * {@code cloudmw://volume@host:port[,host:port]/path}. Characters stand for themselves: unlike in a URI, nothing is
 * decoded, because Iceberg escapes names of partitions by itself. Several slashes count as one. Immutable.
 *
 * @param clusterUri the cluster
 * @param root the beginning of the location, up to the root of the volume, without a slash at the end
 * @param volume the volume
 * @param path {@code "/"} or {@code "/a/b"} within the volume
 */
public record FileLocation(ClusterUri clusterUri, String root, VolumeName volume, String path) {
    private static final String SCHEME = ClusterUri.SCHEME + ":";
    private static final String FORM = "cloudmw://host:port/volume/path or cloudmw:///volume/path";

    /**
     * Reads a location.
     *
     * @throws ValidationException when it has another form
     */
    public static FileLocation parse(String location) {
        if (!location.regionMatches(true, 0, SCHEME + "/", 0, SCHEME.length() + 1)) {
            throw malformed(location, "another scheme", null);
        }
        boolean hasAuthority = location.startsWith("//", SCHEME.length());
        int authority = SCHEME.length() + (hasAuthority ? 2 : 0);
        int slash = location.indexOf('/', authority);
        int end = slash < 0 ? location.length() : slash;
        try {
            String cluster = location.substring(authority, end);
            ClusterUri clusterUri = ClusterUri.of(URI.create(ClusterUri.SCHEME + "://" + cluster + "/"));
            String beginning = location.substring(0, end);
            return clusterUri.volume().isPresent()
                    ? new FileLocation(
                            clusterUri, beginning, clusterUri.volume().get(), path(location.substring(end)))
                    : inFirstName(clusterUri, beginning, location.substring(end));
        } catch (IllegalArgumentException e) {
            throw malformed(location, e.getMessage(), e);
        }
    }

    private static FileLocation inFirstName(ClusterUri clusterUri, String beginning, String names) {
        String all = path(names);
        int slash = all.indexOf('/', 1);
        String first = all.substring(1, slash < 0 ? all.length() : slash);
        return new FileLocation(
                clusterUri, beginning + "/" + first, new VolumeName(first), slash < 0 ? "/" : all.substring(slash));
    }

    private static String path(String names) {
        return "/"
                + Arrays.stream(names.split("/", -1))
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.joining("/"));
    }

    private static ValidationException malformed(String location, @Nullable String why, @Nullable Throwable cause) {
        return new ValidationException(cause, "location: %s: %s (expected: %s)", location, why, FORM);
    }

    /**
     * The file in the terms of the client.
     *
     * @throws ValidationException for the root of the volume, and for names that no file can have
     */
    public FilePath file() {
        try {
            return new FilePath(volume, path);
        } catch (IllegalArgumentException e) {
            throw malformed(toString(), e.getMessage(), e);
        }
    }

    /** The location of another path in the same volume, in the form of this one. */
    public String of(String otherPath) {
        return root + otherPath;
    }

    @Override
    public String toString() {
        return of(path);
    }
}

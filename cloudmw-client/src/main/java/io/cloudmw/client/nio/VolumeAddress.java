package io.cloudmw.client.nio;

import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.model.VolumeName;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of a volume, as {@code cloudmw://host:port[,host:port]/volume/path} has it.
 *
 * @param authority the coordinators; null: the default ones
 * @param volume the first name of the URI's path
 */
record VolumeAddress(@Nullable String authority, VolumeName volume) {
    /** The environment variable with the default coordinators. */
    static final String VARIABLE = "CLOUDMW_COORDINATOR";

    /** The key of an environment map for the coordinators. */
    static final String COORDINATOR = "coordinator";

    /**
     * Reads the address in a URI.
     *
     * @throws IllegalArgumentException when it has another form
     */
    static VolumeAddress of(URI uri) {
        if (!VolumeFileSystemProvider.SCHEME.equalsIgnoreCase(uri.getScheme())
                || uri.getQuery() != null
                || uri.getFragment() != null) {
            throw malformed(uri);
        }
        String path = uri.getPath();
        if (path == null || path.length() < 2) {
            throw malformed(uri);
        }
        int slash = path.indexOf('/', 1);
        try {
            return new VolumeAddress(
                    uri.getAuthority(), new VolumeName(path.substring(1, slash < 0 ? path.length() : slash)));
        } catch (IllegalArgumentException e) {
            throw malformed(uri);
        }
    }

    /** The path within the volume. */
    static String path(URI uri) {
        String path = uri.getPath();
        int slash = path.indexOf('/', 1);
        return slash < 0 ? "/" : path.substring(slash);
    }

    private static IllegalArgumentException malformed(URI uri) {
        return new IllegalArgumentException(
                "uri: " + uri + " (expected: cloudmw://host:port[,host:port]/volume/path or cloudmw:///volume/path)");
    }

    /** The coordinators to connect to. */
    String coordinators(Map<String, ?> environment) {
        return Optional.ofNullable(authority)
                .or(() -> Optional.ofNullable(environment.get(COORDINATOR)).map(Object::toString))
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
                .orElse(CloudMwOptions.DEFAULT_COORDINATOR);
    }
}

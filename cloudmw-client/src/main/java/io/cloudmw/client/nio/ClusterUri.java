package io.cloudmw.client.nio;

import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.model.VolumeName;
import java.net.URI;
import java.util.Optional;

/**
 * A URI that names a cluster in its authority, and perhaps a volume: {@code cloudmw://host:port[,host:port]/volume/path}
 * or {@code cloudmw://volume@host:port[,host:port]/path}. Without coordinators, as in {@code cloudmw:///volume/path} and
 * {@code cloudmw://volume@/path}, the default ones are meant. Immutable.
 *
 * @param coordinators {@code host:port[,host:port]}; empty: the default ones
 * @param volume the volume before the {@code @}; empty: the first name of the path is the volume
 */
public record ClusterUri(Optional<String> coordinators, Optional<VolumeName> volume) {
    /** The scheme of the URIs. */
    public static final String SCHEME = VolumeFileSystemProvider.SCHEME;

    /** The environment variable with the default coordinators. */
    public static final String VARIABLE = "CLOUDMW_COORDINATOR";

    /**
     * Reads a URI, whose path is ignored.
     *
     * @throws IllegalArgumentException when the URI has another scheme, or its authority another form
     */
    public static ClusterUri of(URI uri) {
        if (!SCHEME.equalsIgnoreCase(uri.getScheme()) || uri.getQuery() != null || uri.getFragment() != null) {
            throw malformed(uri);
        }
        String authority = uri.getAuthority();
        if (authority == null) {
            return new ClusterUri(Optional.empty(), Optional.empty());
        }
        int at = authority.indexOf('@');
        String coordinators = authority.substring(at + 1);
        try {
            return new ClusterUri(
                    Optional.of(coordinators).filter(text -> !text.isEmpty()),
                    at < 0 ? Optional.empty() : Optional.of(new VolumeName(authority.substring(0, at))));
        } catch (IllegalArgumentException e) {
            throw malformed(uri);
        }
    }

    static IllegalArgumentException malformed(URI uri) {
        return new IllegalArgumentException("uri: " + uri
                + " (expected: cloudmw://host:port[,host:port]/volume/path, cloudmw://volume@host:port[,host:port]/path or"
                + " cloudmw:///volume/path)");
    }

    /**
     * The coordinators to connect to: those of the URI, else the given ones, else those of the variable
     * {@value #VARIABLE}, else {@value CloudMwOptions#DEFAULT_COORDINATOR}.
     *
     * @param configured the coordinators that the application configured
     */
    public String coordinators(Optional<String> configured) {
        return coordinators
                .or(() -> configured)
                .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
                .orElse(CloudMwOptions.DEFAULT_COORDINATOR);
    }
}

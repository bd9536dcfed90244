package io.cloudmw.client.nio;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.model.VolumeName;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A URI that names a volume, without its path. Both forms of {@link ClusterUri} are equal here.
 *
 * @param authority the coordinators; null: the default ones
 */
record VolumeUri(@Nullable String authority, VolumeName volume) {
    /** The key of an environment map for the coordinators. */
    static final String COORDINATOR = "coordinator";

    /** The key of an environment map for the file of a token. */
    private static final String TOKEN_FILE = "tokenFile";

    /** The key of an environment map for plain text: {@code true}. */
    private static final String INSECURE = "insecure";

    /**
     * Reads a URI of either form.
     *
     * @throws IllegalArgumentException when it has another form
     */
    static VolumeUri of(URI uri) {
        ClusterUri cluster = ClusterUri.of(uri);
        return new VolumeUri(
                cluster.coordinators().orElse(null), cluster.volume().orElseGet(() -> firstName(uri)));
    }

    private static VolumeName firstName(URI uri) {
        String path = uri.getPath();
        if (path == null || path.length() < 2) {
            throw ClusterUri.malformed(uri);
        }
        int slash = path.indexOf('/', 1);
        try {
            return new VolumeName(path.substring(1, slash < 0 ? path.length() : slash));
        } catch (IllegalArgumentException e) {
            throw ClusterUri.malformed(uri);
        }
    }

    /** The path within the volume. */
    static String path(URI uri) {
        String path = uri.getPath();
        if (ClusterUri.of(uri).volume().isPresent()) {
            return path.isEmpty() ? "/" : path;
        }
        int slash = path.indexOf('/', 1);
        return slash < 0 ? "/" : path.substring(slash);
    }

    /**
     * The options of a client.
     *
     * @throws IllegalArgumentException when the environment map has a value of another form
     */
    CloudMwOptions options(Map<String, ?> environment) {
        CloudMwOptions options = CloudMwOptions.of(coordinators(environment));
        if (text(environment, INSECURE).orElse("false").equals("true")) {
            return options.withSecurity(ClientSecurity.insecure());
        }
        return text(environment, TOKEN_FILE)
                .map(file -> options.withSecurity(ClientSecurity.tokenFile(Path.of(file))))
                .orElse(options);
    }

    private static Optional<String> text(Map<String, ?> environment, String key) {
        return Optional.ofNullable(environment.get(key)).map(Object::toString);
    }

    /** The coordinators to connect to. */
    private String coordinators(Map<String, ?> environment) {
        return new ClusterUri(Optional.ofNullable(authority), Optional.of(volume))
                .coordinators(text(environment, COORDINATOR));
    }
}

package io.cloudmw.client.nio;

import io.cloudmw.core.model.VolumeName;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address of a volume in a URI. Both forms of {@link ClusterAddress} have the same address.
 *
 * @param authority the coordinators; null: the default ones
 */
record VolumeAddress(@Nullable String authority, VolumeName volume) {
    /** The key of an environment map for the coordinators. */
    static final String COORDINATOR = "coordinator";

    /**
     * Reads the address in a URI.
     *
     * @throws IllegalArgumentException when it has another form
     */
    static VolumeAddress of(URI uri) {
        ClusterAddress cluster = ClusterAddress.of(uri);
        return new VolumeAddress(
                cluster.coordinators().orElse(null), cluster.volume().orElseGet(() -> firstName(uri)));
    }

    private static VolumeName firstName(URI uri) {
        String path = uri.getPath();
        if (path == null || path.length() < 2) {
            throw ClusterAddress.malformed(uri);
        }
        int slash = path.indexOf('/', 1);
        try {
            return new VolumeName(path.substring(1, slash < 0 ? path.length() : slash));
        } catch (IllegalArgumentException e) {
            throw ClusterAddress.malformed(uri);
        }
    }

    /** The path within the volume. */
    static String path(URI uri) {
        String path = uri.getPath();
        if (ClusterAddress.of(uri).volume().isPresent()) {
            return path.isEmpty() ? "/" : path;
        }
        int slash = path.indexOf('/', 1);
        return slash < 0 ? "/" : path.substring(slash);
    }

    /** The coordinators to connect to. */
    String coordinators(Map<String, ?> environment) {
        return new ClusterAddress(Optional.ofNullable(authority), Optional.of(volume))
                .coordinators(Optional.ofNullable(environment.get(COORDINATOR)).map(Object::toString));
    }
}

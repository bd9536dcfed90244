package io.cloudmw.coordinator.rpc.authorization;

import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Right;

/** A condition that the caller of a method must meet. */
sealed interface CallNeed {
    /** Nothing but to be a member of the cluster or a subject with a certificate. */
    record Known() implements CallNeed {}

    /** To be a helper or a coordinator. */
    record Member() implements CallNeed {}

    /** To be the helper of this id. */
    record HelperItself(String id) implements CallNeed {}

    /** A role in the cluster. */
    record InCluster(ClusterRole role) implements CallNeed {}

    /** A right to any path of any volume. */
    record Anywhere(Right right) implements CallNeed {}

    /** To see a volume: any right in it. */
    record Sees(String volume) implements CallNeed {}

    /** A right to the volume, or to one of its directories: the paths are checked by a later call. */
    record InVolume(Right right, String volume) implements CallNeed {}

    /**
     * A right to a path.
     *
     * @param path of a file or directory; {@code /}: the whole volume
     */
    record ToPath(Right right, String volume, String path) implements CallNeed {}
}

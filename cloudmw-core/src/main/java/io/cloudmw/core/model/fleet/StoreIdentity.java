package io.cloudmw.core.model.fleet;

import java.util.UUID;

/**
 * The identity of the disk or bucket of a store, which tells it from any other in its place.
 *
 * @param value 32 hexadecimal digits, drawn when the disk or bucket was first used; empty: not known
 * @param cluster the id of the cluster that uses it; empty: not known
 * @param replacedAtMillis when an operator last put another disk or bucket in its place; 0: never
 */
public record StoreIdentity(String value, String cluster, long replacedAtMillis) {
    /** An unknown identity, as a release before identities left it. */
    public static final StoreIdentity NONE = new StoreIdentity("", "", 0);

    public StoreIdentity {
        if (!value.matches("([0-9a-f]{32})?")) {
            throw new IllegalArgumentException("identity: \"" + value + "\" (expected: 32 hexadecimal digits)");
        }
        if (!cluster.matches("[0-9a-zA-Z_-]{0,64}")) {
            throw new IllegalArgumentException(
                    "cluster: \"" + cluster + "\" (expected: at most 64 letters and digits)");
        }
        if (replacedAtMillis < 0) {
            throw new IllegalArgumentException("replacedAtMillis: " + replacedAtMillis + " (expected: >= 0)");
        }
    }

    /** A new random identity for a disk or bucket of a cluster. */
    public static StoreIdentity random(String cluster) {
        return new StoreIdentity(UUID.randomUUID().toString().replace("-", ""), cluster, 0);
    }

    /** Returns whether the identity is known. */
    public boolean isKnown() {
        return !value.isEmpty();
    }

    /** Returns whether both identify the same disk or bucket. */
    public boolean isSame(StoreIdentity other) {
        return isKnown() && value.equals(other.value);
    }

    /** The same disk or bucket, used by this cluster. */
    public StoreIdentity in(String newCluster) {
        return new StoreIdentity(value, newCluster, replacedAtMillis);
    }

    /** The same disk or bucket, put in the place of another one at this time. */
    public StoreIdentity replacedAt(long millis) {
        return new StoreIdentity(value, cluster, millis);
    }
}

package io.cloudmw.core.grant;

import java.util.Arrays;
import java.util.Locale;

/** A role in the cluster as a whole. Each includes those before it. */
public enum ClusterRole {
    /** See the state of the cluster: helpers, stores, volumes, upkeep. */
    VIEWER,
    /** Add and remove stores, drain, repair, collect; create volumes. Gives no access to the bytes of files. */
    OPERATOR,
    /** Everything, on every volume; grant rights and make tokens. */
    ADMIN;

    /** Its name on the command line and on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static ClusterRole parse(String word) {
        return Arrays.stream(values())
                .filter(role -> role.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "role: \"" + word.replaceAll("\\p{C}", "?") + "\" (expected: viewer, operator or admin)"));
    }

    /** Returns whether a subject with this role has the other one, too. */
    public boolean includes(ClusterRole other) {
        return compareTo(other) >= 0;
    }
}

package io.cloudmw.core.model.file;

import io.cloudmw.core.model.NameRule;
import io.cloudmw.core.model.VolumeName;

/**
 * How the names of a volume were at one moment, kept under a name of its own.
 *
 * @param name of the form of a volume's
 * @param number 0 for the volume's first snapshot and one more for each that follows, whether those before are still there or not
 * @param createdAtMillis by the clock of the coordinator that made it
 */
public record Snapshot(VolumeName volume, String name, long number, long createdAtMillis) {
    public Snapshot {
        checkName(name);
    }

    /**
     * Returns {@code name} when it may be one.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String checkName(String name) {
        return NameRule.check("snapshot", name);
    }
}

package io.cloudmw.core.model.file;

import io.cloudmw.core.model.NameRule;
import io.cloudmw.core.model.VolumeName;

/**
 * A snapshot of a volume: its names as they were at one moment.
 *
 * @param name its name, of the form of a volume's
 * @param number 0 for the volume's first snapshot and one more for each that follows, deleted ones included
 * @param createdAtMillis the time at the coordinator that made it
 */
public record Snapshot(VolumeName volume, String name, long number, long createdAtMillis) {
    public Snapshot {
        checkName(name);
    }

    /**
     * Returns {@code name} when it is valid.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String checkName(String name) {
        return NameRule.check("snapshot", name);
    }
}

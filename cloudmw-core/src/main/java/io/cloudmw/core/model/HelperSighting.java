package io.cloudmw.core.model;

import java.util.List;

/**
 * What one coordinator tells the others of a helper that it heard.
 *
 * @param ageMillis how long before it told it
 * @param left whether the helper said that it leaves
 * @param disks how full they are, as the helper said
 */
public record HelperSighting(HelperRegistration registration, long ageMillis, boolean left, List<DiskUsage> disks) {
    public HelperSighting {
        if (ageMillis < 0) {
            throw new IllegalArgumentException("ageMillis: " + ageMillis + " (expected: >= 0)");
        }
        disks = List.copyOf(disks);
    }
}

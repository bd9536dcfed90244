package io.cloudmw.core.model.fleet;

import java.util.List;

/**
 * The helpers that one coordinator heard lately, or a part of them.
 *
 * @param coordinator whose report this is
 * @param part from 0; a coordinator that hears many helpers tells of them in several parts
 * @param sequence grows with every report of this coordinator: one that does not grow is of a coordinator that is no more
 * @param sightings at most {@value #MAX_SIGHTINGS}, so that a part fits wherever a catalog keeps it
 */
public record SightingReport(String coordinator, int part, long sequence, List<HelperSighting> sightings) {
    /** One of a helper with 64 disks, whose names are as long as they may be, takes 10 KB. */
    public static final int MAX_SIGHTINGS = 32;

    public SightingReport {
        if (sightings.size() > MAX_SIGHTINGS) {
            throw new IllegalArgumentException(
                    "sightings: " + sightings.size() + " (expected: <= " + MAX_SIGHTINGS + ")");
        }
        sightings = List.copyOf(sightings);
    }
}

package io.cloudmw.core.model.fleet;

import java.util.List;

/**
 * A coordinator's report of the helpers it has heard lately, or a part of that report.
 *
 * @param coordinator the reporting coordinator
 * @param part counted from 0; a coordinator that hears many helpers reports in several parts
 * @param sequence grows with every report; when it stands still, the coordinator has ended
 * @param sightings at most {@value #MAX_SIGHTINGS}, so that a part fits into any catalog
 */
public record SightingReport(String coordinator, int part, long sequence, List<HelperSighting> sightings) {
    /** The most sightings of a part: one of a helper with 64 disks, all with the longest names, takes 10 KB. */
    public static final int MAX_SIGHTINGS = 32;

    public SightingReport {
        if (sightings.size() > MAX_SIGHTINGS) {
            throw new IllegalArgumentException(
                    "sightings: " + sightings.size() + " (expected: <= " + MAX_SIGHTINGS + ")");
        }
        sightings = List.copyOf(sightings);
    }
}

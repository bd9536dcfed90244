package io.cloudmw.coordinator.upkeep.scrub;

import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.status.ScrubProgress;

/**
 * The stored state of scrubbing: numbers, separated by commas, and a position.
 *
 * @param position of the {@link ManifestWalk}; {@link #ENDED}: no round is under way
 */
record ScrubCheckpoint(ScrubProgress progress, String position) {
    /** The key of the note. */
    static final String KEY = "scrub";

    static final String ENDED = "ended";

    static ScrubCheckpoint parse(String text) {
        String[] parts = text.split(",", -1);
        return new ScrubCheckpoint(
                new ScrubProgress(
                        Long.parseLong(parts[0]),
                        Long.parseLong(parts[1]),
                        Long.parseLong(parts[2]),
                        Long.parseLong(parts[3]),
                        Long.parseLong(parts[4]),
                        Long.parseLong(parts[5]),
                        !parts[6].equals(ENDED)),
                parts[6]);
    }

    String text() {
        return progress.rounds() + "," + progress.verified() + "," + progress.verifiedBytes() + "," + progress.bad()
                + "," + progress.skipped() + "," + progress.beganMillis() + "," + position;
    }
}

package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.upkeep.ScrubProgress;

/**
 * What is noted of scrubbing: numbers, with commas between them, and a position.
 *
 * @param position of the {@link ManifestWalk}; {@link #ENDED}: no round is under way
 */
record ScrubNote(ScrubProgress progress, String position) {
    /** What it is noted under. */
    static final String KEY = "scrub";

    static final String ENDED = "ended";

    static ScrubNote parse(String text) {
        String[] parts = text.split(",", -1);
        return new ScrubNote(
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

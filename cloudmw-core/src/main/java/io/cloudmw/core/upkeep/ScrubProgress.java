package io.cloudmw.core.upkeep;

/**
 * How far scrubbing is.
 *
 * @param rounds over all copies that have ended
 * @param verified copies that were read and right, in the round under way or the last one
 * @param verifiedBytes read of them and of the bad ones, in it
 * @param bad copies found missing or corrupt, in it
 * @param skipped copies passed over, in it: their store was away, or they could not be read
 * @param beganMillis when it began, by the coordinator's clock; 0: not known yet
 * @param underWay whether it has not ended
 */
public record ScrubProgress(
        long rounds, long verified, long verifiedBytes, long bad, long skipped, long beganMillis, boolean underWay) {
    public static final ScrubProgress NONE = new ScrubProgress(0, 0, 0, 0, 0, 0, false);

    /** Another round begins. */
    public ScrubProgress began(long nowMillis) {
        return new ScrubProgress(rounds, 0, 0, 0, 0, nowMillis, true);
    }

    /** The round is over. */
    public ScrubProgress ended() {
        return new ScrubProgress(rounds + 1, verified, verifiedBytes, bad, skipped, beganMillis, false);
    }

    public ScrubProgress verified(long bytes, boolean wrong) {
        return new ScrubProgress(
                rounds,
                verified + (wrong ? 0 : 1),
                verifiedBytes + bytes,
                bad + (wrong ? 1 : 0),
                skipped,
                beganMillis,
                underWay);
    }

    public ScrubProgress skipped(long copies) {
        return new ScrubProgress(rounds, verified, verifiedBytes, bad, skipped + copies, beganMillis, underWay);
    }
}

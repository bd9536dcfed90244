package io.cloudmw.core.upkeep.collect;

/**
 * How far garbage collection is.
 *
 * @param rounds that have ended since this coordinator took upkeep up
 * @param underWay whether {@code now} is a round
 * @param last the last round that ended
 */
public record CollectProgress(long rounds, boolean underWay, CollectRound now, CollectRound last) {
    public static final CollectProgress NONE = new CollectProgress(0, false, CollectRound.NONE, CollectRound.NONE);

    /** The round under way, or the last one. */
    public CollectRound current() {
        return underWay ? now : last;
    }
}

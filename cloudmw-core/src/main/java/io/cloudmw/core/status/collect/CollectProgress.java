package io.cloudmw.core.status.collect;

/**
 * The progress of garbage collection.
 *
 * @param rounds that have ended since this coordinator took over upkeep
 * @param underWay whether {@code now} is a round
 * @param last the last round that ended
 */
public record CollectProgress(long rounds, boolean underWay, CollectRound now, CollectRound last) {
    /** No round yet. */
    public static final CollectProgress NONE = new CollectProgress(0, false, CollectRound.NONE, CollectRound.NONE);

    /** Returns the round under way, or the last one. */
    public CollectRound current() {
        return underWay ? now : last;
    }
}

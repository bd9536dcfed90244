package io.cloudmw.core.upkeep.collect;

/**
 * How far a client's order of a round of garbage collection is.
 *
 * @param number the round's among those of its coordinator
 * @param found what the round has found so far, or in all; nothing while it waits
 */
public record OrderedRound(long number, State state, CollectRound found) {
    /** The state of an order. */
    public enum State {
        /** The round has not begun. */
        WAITING,
        UNDER_WAY,
        DONE,
        /** The client has withdrawn its order. */
        CANCELLED;

        public boolean isOver() {
            return this == DONE || this == CANCELLED;
        }
    }
}

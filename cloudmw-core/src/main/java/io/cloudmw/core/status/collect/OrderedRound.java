package io.cloudmw.core.status.collect;

/**
 * The progress of a client's order of a garbage collection.
 *
 * @param number of the round, counted by its coordinator
 * @param found the round's counts so far or in total; nothing while it waits
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

        /** Returns true when the round has ended. */
        public boolean isOver() {
            return this == DONE || this == CANCELLED;
        }
    }
}

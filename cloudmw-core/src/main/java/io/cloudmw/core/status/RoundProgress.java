package io.cloudmw.core.status;

/**
 * The progress of a requested round.
 *
 * @param kind what it does
 * @param number of the round
 * @param state whether it continues
 * @param looked chunks passed over, for reading or for repair
 * @param read copies that were read and verified
 * @param readBytes of those
 * @param bad copies found missing or corrupt
 * @param skipped copies that could not be read: their store was absent, or reading failed
 * @param repaired copies that were made
 * @param repairedBytes of those
 * @param left chunks with too few good copies, as last seen
 */
public record RoundProgress(
        Kind kind,
        long number,
        State state,
        long looked,
        long read,
        long readBytes,
        long bad,
        long skipped,
        long repaired,
        long repairedBytes,
        long left) {
    /** The kind of a round. */
    public enum Kind {
        /** Reads and verifies copies, and then repairs. */
        SCRUB,
        /** Makes missing copies. */
        REPAIR
    }

    /** The state of a round. */
    public enum State {
        READING,
        REPAIRING,
        DONE,
        /** The round was ended before it was done. */
        CANCELLED;

        /** Returns true when the round has ended. */
        public boolean isOver() {
            return this == DONE || this == CANCELLED;
        }
    }
}

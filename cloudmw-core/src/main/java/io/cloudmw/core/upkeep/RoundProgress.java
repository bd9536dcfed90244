package io.cloudmw.core.upkeep;

/**
 * How far a round is that somebody asked for.
 *
 * @param kind what it does
 * @param number the round's
 * @param state whether it goes on
 * @param looked chunks that were looked at, for reading or for repair
 * @param read copies that were read and checked
 * @param readBytes of those
 * @param bad copies found missing or corrupt
 * @param skipped copies that could not be read: their store was away, or reading failed
 * @param repaired copies that were made
 * @param repairedBytes of those
 * @param left chunks that have fewer good copies than they ought to, as last seen
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
    /** The work of a round. */
    public enum Kind {
        /** Reads and checks copies, and then repairs. */
        SCRUB,
        /** Makes copies that are missing. */
        REPAIR
    }

    /** The state of a round. */
    public enum State {
        READING,
        REPAIRING,
        DONE,
        /** Ended before it was done. */
        CANCELLED;

        public boolean isOver() {
            return this == DONE || this == CANCELLED;
        }
    }
}

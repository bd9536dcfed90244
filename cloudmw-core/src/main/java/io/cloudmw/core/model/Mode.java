package io.cloudmw.core.model;

import java.util.Locale;

/** The read mode: the rule by which replicas compete in a transfer. */
public enum Mode {
    /** A single racer, one attempt at a time, chunk after chunk, like a plain download. */
    SINGLE,
    /** Chunks in parallel, each from one replica, without a race. */
    CHUNKED,
    /** CloudMW §4.1 to the letter: in round r, k helpers each fetch one replica of chunk r; the first wins. */
    ROUNDS,
    /** CloudMW §4.1, the k x n variant: every chunk's race at once, over as many helpers as there are. */
    KN,
    /** A single attempt, and a second at another store when the first is later than usual at its store. */
    HEDGED,
    /** All helpers read disjoint blocks; a late block is handed over, so hardly a byte is read twice. */
    COOPERATIVE;

    /** The mode of a volume whose creator names none. */
    public static final Mode DEFAULT = COOPERATIVE;

    /** The name used in settings, on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

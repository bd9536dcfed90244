package io.cloudmw.core.model;

import java.util.Locale;

/** How a transfer's replicas compete. */
public enum Mode {
    /** One racer, one attempt at a time, chunk after chunk: no race. What a plain download does. */
    SINGLE,
    /** Chunks side by side, each from one replica: parallel, but no race. */
    CHUNKED,
    /** CloudMW §4.1 to the letter: in round r, k helpers each fetch one replica of chunk r; the first wins. */
    ROUNDS,
    /** CloudMW §4.1, the k x n variant: every chunk's race at once, over as many helpers as there are. */
    KN,
    /** One attempt, and a second at another store when the first does not come on as that store usually does. */
    HEDGED,
    /** Replicas read in disjoint blocks by all helpers; what falls behind is handed over; hardly a byte twice. */
    COOPERATIVE;

    /** What a volume has when nothing is said. */
    public static final Mode DEFAULT = COOPERATIVE;

    /** The name used in settings, on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.cloudmw.core.model;

import java.util.Locale;

/** How a transfer's replicas compete. */
public enum Mode {
    /** CloudMW §4.1 to the letter: in round r, k helpers each fetch one replica of chunk r; the first wins. */
    ROUNDS;

    /** The name used in settings, on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.cloudmw.lab.fleet;

/** The live output of a command. */
public enum LiveOutput {
    NONE,
    LINES,
    /** Lines that are repainted in place on a terminal. */
    PAINTED
}

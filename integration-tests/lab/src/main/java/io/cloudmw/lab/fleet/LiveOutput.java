package io.cloudmw.lab.fleet;

/** How a command shows what it does while it runs. */
public enum LiveOutput {
    NONE,
    LINES,
    /** Lines that are painted again in place, on a terminal. */
    PAINTED
}

package io.cloudmw.lab.torture.network;

/** The kinds of cuts between two parties. */
public enum CutKind {
    /** Traffic passes. */
    NONE,
    /** Traffic stalls, as if packets were lost; new connections stall, too. */
    STALLED,
    /** Connections are reset, and so are new ones. */
    RESET
}

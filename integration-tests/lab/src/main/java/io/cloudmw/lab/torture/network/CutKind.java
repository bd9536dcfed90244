package io.cloudmw.lab.torture.network;

/** The kinds of cuts between two parties. */
public enum CutKind {
    /** It arrives. */
    NONE,
    /** It waits, as if packets were lost; so do new connections. */
    STALLED,
    /** Connections are reset, and new ones, too. */
    RESET
}

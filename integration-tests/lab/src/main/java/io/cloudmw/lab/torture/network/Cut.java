package io.cloudmw.lab.torture.network;

/** What becomes of what two parties send each other. */
public enum Cut {
    /** It arrives. */
    NONE,
    /** It waits, as if packets were lost; so do new connections. */
    STALLED,
    /** Connections are reset, and new ones, too. */
    RESET
}

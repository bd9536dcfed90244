package io.cloudmw.core.mode;

/** The use of the client's own racers, which read stores without helpers, in a read that has helpers. */
public enum DirectUse {
    /** They read what no helper can bring. */
    LAST_RESORT,
    /** One of them reads a block now and then, to be compared with the helpers. */
    PROBING,
    /** They read everything; helpers bring what they cannot, and second attempts. */
    PREFERRED
}

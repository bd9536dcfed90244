package io.cloudmw.core.bulk.frame;

/** The limits of the bulk plane's frames. */
public final class FrameLimits {
    /** Longest payload of a data frame; a leaf is never longer. */
    public static final int MAX_DATA_BYTES = 1 << 20;

    /** Longest payload of any other frame. */
    public static final int MAX_CONTROL_BYTES = 64 << 10;

    /** Longest payload before the peer's HELLO. */
    public static final int MAX_HELLO_BYTES = 4 << 10;

    /** Most credit that may be outstanding on a stream in one direction. */
    public static final long MAX_CREDIT_BYTES = 1L << 62;

    private FrameLimits() {}
}

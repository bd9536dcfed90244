package io.cloudmw.core.audit;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A limit that allows a burst of lines, then one per interval. Safe for any thread. */
public final class LineAllowance {
    /** The lines of a burst. */
    public static final int BURST = 10;
    /** The time for one line after a burst. */
    public static final long SECONDS_PER_LINE = 10;

    private static final long NANOS_PER_LINE = TimeUnit.SECONDS.toNanos(SECONDS_PER_LINE);

    private long lines = BURST;
    private long countedNanos;
    private long leftOut;

    /** Makes an allowance whose burst begins now. */
    public LineAllowance(long nowNanos) {
        countedNanos = nowNanos;
    }

    /** Takes a line. Returns how many were suppressed before it; empty: this one is suppressed, too. */
    public synchronized OptionalLong take(long nowNanos) {
        long earned = (nowNanos - countedNanos) / NANOS_PER_LINE;
        countedNanos += earned * NANOS_PER_LINE;
        lines = Math.min(BURST, lines + earned);
        if (lines == 0) {
            leftOut++;
            return OptionalLong.empty();
        }
        lines--;
        long before = leftOut;
        leftOut = 0;
        return OptionalLong.of(before);
    }
}

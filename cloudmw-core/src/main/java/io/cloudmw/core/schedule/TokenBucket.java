package io.cloudmw.core.schedule;

/**
 * A token bucket: it earns bytes with time, up to a burst of one second's worth. It may be overdrawn once, by any
 * length; then it is closed until the debt is earned. So work items are never cut. Over any time no more bytes pass
 * than the burst, the earned bytes, and one item. No clock of its own; not thread-safe.
 */
final class TokenBucket {
    private static final double NANOS = 1e9;

    private final double bytesPerSecond;
    private double bytes;
    private long atNanos;

    /** Makes a full bucket. */
    TokenBucket(long bytesPerSecond, long nowNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.bytes = bytesPerSecond;
        this.atNanos = nowNanos;
    }

    boolean admits(long nowNanos) {
        earn(nowNanos);
        return bytes > 0;
    }

    boolean isFull(long nowNanos) {
        earn(nowNanos);
        return bytes >= bytesPerSecond;
    }

    /** Takes {@code count} bytes; a negative count returns unused ones. */
    void take(long count, long nowNanos) {
        earn(nowNanos);
        bytes = Math.min(bytesPerSecond, bytes - count);
    }

    /** The time at which it admits something, if nothing else is taken meanwhile. */
    long admitsAtNanos(long nowNanos) {
        return admits(nowNanos) ? nowNanos : nowNanos + 1 + (long) Math.ceil(-bytes * NANOS / bytesPerSecond);
    }

    private void earn(long nowNanos) {
        long elapsed = nowNanos - atNanos;
        if (elapsed > 0) {
            bytes = Math.min(bytesPerSecond, bytes + elapsed * bytesPerSecond / NANOS);
            atNanos = nowNanos;
        }
    }
}

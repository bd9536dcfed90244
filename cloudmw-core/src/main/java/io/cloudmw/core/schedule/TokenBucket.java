package io.cloudmw.core.schedule;

/**
 * A cap on a rate: earns bytes with time, up to a burst of one second's worth. What is left may be overdrawn once, by any
 * length; then it is closed until the debt is earned. So pieces of work are never cut, and over any time no more passes than
 * the burst, what was earned, and one piece. No clock of its own; not thread-safe.
 */
final class TokenBucket {
    private static final double NANOS = 1e9;

    private final double bytesPerSecond;
    private double bytes;
    private long atNanos;

    /** Starts full. */
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

    /** Takes {@code count} bytes; negative: gives back what was not used. */
    void take(long count, long nowNanos) {
        earn(nowNanos);
        bytes = Math.min(bytesPerSecond, bytes - count);
    }

    /** When it admits something, if nothing else is taken meanwhile. */
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

package io.cloudmw.core.schedule;

import java.util.OptionalDouble;

/** The rate at which work is taken while more of it waits; the last seconds count most. Not thread-safe. */
final class ServiceRate {
    private static final double MEMORY_NANOS = 4e9;
    /** The shortest time that counts as a measurement. */
    private static final double LEAST_NANOS = 1e6;

    private double bytes;
    private double busyNanos;
    private long lastNanos;
    private boolean busy;

    /** Counts work of so many bytes that is taken. */
    void took(long count, long nowNanos) {
        if (busy) {
            long elapsed = Math.max(0, nowNanos - lastNanos);
            double kept = Math.exp(-elapsed / MEMORY_NANOS);
            bytes = bytes * kept + count;
            busyNanos = busyNanos * kept + elapsed;
        }
        busy = true;
        lastNanos = nowNanos;
    }

    /** Stops the measurement, because nothing waits any more. */
    void idle() {
        busy = false;
    }

    /** The rate; empty: nothing had to wait yet. */
    OptionalDouble bytesPerSecond() {
        return busyNanos < LEAST_NANOS ? OptionalDouble.empty() : OptionalDouble.of(bytes * 1e9 / busyNanos);
    }
}

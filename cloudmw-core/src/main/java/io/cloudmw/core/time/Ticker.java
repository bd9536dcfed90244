package io.cloudmw.core.time;

/** A monotonic clock. Only differences between two readings mean anything. */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since an arbitrary moment. */
    long nanos();

    /** The machine's own monotonic clock. */
    static Ticker system() {
        return SystemTime.INSTANCE;
    }
}

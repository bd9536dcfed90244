package io.cloudmw.core.time;

/** Civil time, for stamps and expiry that other machines compare. */
@FunctionalInterface
public interface WallClock {
    /** Milliseconds since 1970-01-01T00:00:00Z. */
    long millis();

    /** The machine's own clock. */
    static WallClock system() {
        return SystemTime.INSTANCE;
    }
}

package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/** The times at which repair passes begin, so that they take at most a quarter of the time. Confined to one thread. */
final class RepairSchedule {
    /** The pause after a pass, as a multiple of its working time. */
    private static final int PAUSE = 3;

    /** The interval of passes while copies of a replaced store are missing. */
    private static final long PRESSED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;
    private final long intervalNanos;
    private long nextNanos;
    private long beganNanos;
    private long workedNanos;
    private boolean pressed;

    RepairSchedule(Ticker ticker, long intervalNanos) {
        this.ticker = ticker;
        this.intervalNanos = intervalNanos;
        this.nextNanos = ticker.nanos();
    }

    boolean isDue() {
        return ticker.nanos() - nextNanos >= 0;
    }

    /** Lets the next pass be due at once. */
    void hurry() {
        nextNanos = ticker.nanos();
    }

    void began() {
        beganNanos = ticker.nanos();
        workedNanos = 0;
    }

    void worked(long nanos) {
        workedNanos += nanos;
    }

    void ended() {
        nextNanos = Math.max(beganNanos + pauseNanos(), ticker.nanos() + PAUSE * workedNanos);
    }

    /** Sets whether copies of replaced stores are missing, so that the next pass comes soon. */
    void press(boolean now) {
        pressed = now;
        long soon = ticker.nanos() + pauseNanos();
        if (pressed && soon - nextNanos < 0) {
            nextNanos = soon;
        }
    }

    private long pauseNanos() {
        return pressed ? Math.min(intervalNanos, PRESSED_NANOS) : intervalNanos;
    }
}

package io.cloudmw.client.transfer;

import java.util.concurrent.TimeUnit;

/** How often, and how soon, helpers are asked again that had no room: later and later, for about a minute. */
final class AskAgain {
    /** A transfer, or a chunk of one, that was refused more often has failed. */
    static final int MAX_REFUSALS = 60;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private AskAgain() {}

    /** How long to wait after the {@code times}-th time, from 1. */
    static long pauseNanos(int times) {
        return Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(times, 10));
    }
}

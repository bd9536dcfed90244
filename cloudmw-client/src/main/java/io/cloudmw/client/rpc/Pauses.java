package io.cloudmw.client.rpc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before a call is tried again: longer and longer, up to a second, and never the same for all clients. */
final class Pauses {
    private static final long FIRST_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

    private long pauseNanos = FIRST_NANOS;

    long nextNanos() {
        long pause = pauseNanos / 2 + ThreadLocalRandom.current().nextLong(pauseNanos / 2 + 1);
        pauseNanos = Math.min(LONGEST_NANOS, pauseNanos * 2);
        return pause;
    }
}

package io.cloudmw.client.context;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The limits and pauses of retries: about a minute where a process had no room, seconds otherwise, with growing
 * pauses.
 */
public final class RetryLimits {
    /** A transfer, or a chunk of one, that was refused more often has failed. */
    public static final int MAX_REFUSALS = 60;

    /**
     * A read something of which could not be reached has failed after so many plans in vain: helpers that lost the
     * coordinator, or were started again, are back within seconds.
     */
    public static final int MAX_PLANS = 10;

    /**
     * Nor is another plan asked for when no verified byte came for so long since the first of those in vain failed: where
     * stores hang, each takes minutes to fail.
     */
    public static final long MAX_BARREN_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(1));

    private RetryLimits() {}

    /**
     * The same, and no less than who refused it has said, but no longer than until it should be done.
     *
     * @param leftNanos until then; negative: it is late already
     */
    public static long pauseNanos(int times, CloudMwException refusal, long leftNanos) {
        long own = pauseNanos(times);
        long said = refusal.retryAfter().map(Duration::toNanos).orElse(0L);
        return Math.max(own, Math.min(said, leftNanos));
    }

    /** How long somebody waits who was in another's way for the {@code times}-th time, from 1: up to {@link #pauseNanos}, or others go on in step. */
    public static long pauseNanos(int times, RandomGenerator random) {
        return BACKOFF.fullJitterNanos(times, random);
    }

    /** How long to wait after the {@code times}-th time, from 1. */
    public static long pauseNanos(int times) {
        return BACKOFF.delayNanos(times);
    }
}

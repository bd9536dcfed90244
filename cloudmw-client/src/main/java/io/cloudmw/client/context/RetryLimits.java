package io.cloudmw.client.context;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The limits and delays of retries: for about a minute after refusals, for seconds after other failures, with backoff.
 */
public final class RetryLimits {
    /** A transfer, or a chunk of one, fails after more refusals than this. */
    public static final int MAX_REFUSALS = 60;

    /**
     * A read fails after so many plans without progress. Helpers that lost the coordinator, or were restarted, are back
     * within seconds.
     */
    public static final int MAX_PLANS = 10;

    /**
     * A read also fails when no verified byte came for so long since the first plan without progress. Where stores
     * hang, each plan takes minutes to fail.
     */
    public static final long MAX_IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(1));

    private RetryLimits() {}

    /**
     * The delay after a refusal: at least its retry-after, but no later than the deadline.
     *
     * @param leftNanos the time until the deadline; negative: it has passed
     */
    public static long pauseNanos(int times, CloudMwException refusal, long leftNanos) {
        long own = pauseNanos(times);
        long retryAfter = refusal.retryAfter().map(Duration::toNanos).orElse(0L);
        return Math.max(own, Math.min(retryAfter, leftNanos));
    }

    /**
     * A random delay after the {@code times}-th conflict, from 1, up to {@link #pauseNanos(int)}, so that clients do
     * not retry in step.
     */
    public static long pauseNanos(int times, RandomGenerator random) {
        return BACKOFF.fullJitterNanos(times, random);
    }

    /** The delay after the {@code times}-th failure, from 1. */
    public static long pauseNanos(int times) {
        return BACKOFF.delayNanos(times);
    }
}

package io.cloudmw.core.retry;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * An exponential backoff: the delay before each retry, doubled from the first up to the longest. Immutable.
 *
 * @param firstNanos the delay after the first failure; above 0
 * @param longestNanos the longest delay; at least {@code firstNanos}
 */
public record Backoff(long firstNanos, long longestNanos) {
    /** More doublings than any delay needs to become the longest. */
    private static final int MOST_DOUBLINGS = 30;

    public Backoff {
        if (firstNanos <= 0) {
            throw new IllegalArgumentException("firstNanos: " + firstNanos + " (expected: > 0)");
        }
        if (longestNanos < firstNanos) {
            throw new IllegalArgumentException(
                    "longestNanos: " + longestNanos + " (expected: >= firstNanos, " + firstNanos + ")");
        }
    }

    public static Backoff between(Duration first, Duration longest) {
        return new Backoff(first.toNanos(), longest.toNanos());
    }

    /**
     * The delay before the next retry.
     *
     * @param failures so far; at least 1
     */
    public long delayNanos(int failures) {
        if (failures < 1) {
            throw new IllegalArgumentException("failures: " + failures + " (expected: >= 1)");
        }
        int doublings = Math.min(failures - 1, MOST_DOUBLINGS);
        return firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
    }

    /** A random delay from 0 to {@link #delayNanos}, for clients that conflict with each other. */
    public long fullJitterNanos(int failures, RandomGenerator random) {
        return random.nextLong(delayNanos(failures) + 1);
    }

    /** A random delay from half of {@link #delayNanos} to all of it, so that clients do not retry in step. */
    public long halfJitterNanos(int failures, RandomGenerator random) {
        long half = delayNanos(failures) / 2;
        return half + random.nextLong(half + 1);
    }
}

package io.cloudmw.core.retry;

import java.util.random.RandomGenerator;

/** A counter of failures in a row that gives the delay before each retry. Confined to one thread at a time. */
public final class RetryCounter {
    private final Backoff backoff;
    private int failures;

    public RetryCounter(Backoff backoff) {
        this.backoff = backoff;
    }

    /** Counts a failure; gives a random delay from half of the backoff's to all of it. */
    public long nextDelayNanos(RandomGenerator random) {
        failures = failures == Integer.MAX_VALUE ? failures : failures + 1;
        return backoff.halfJitterNanos(failures, random);
    }

    /** Resets the count after a success. */
    public void reset() {
        failures = 0;
    }
}

package io.cloudmw.testkit;

import io.cloudmw.core.config.Durations;
import io.cloudmw.core.emulation.ResponseTiming;
import io.cloudmw.core.emulation.StoreLaw;
import java.time.Duration;

/**
 * A law of constant speed and latency.
 *
 * @param bytesPerSecond shared by all readers of the store, at least 1024
 * @param latency from a request to its first byte
 */
record SteadyLaw(long bytesPerSecond, Duration latency) implements StoreLaw {
    private static final long LEAST_BYTES_PER_SECOND = 1024;

    SteadyLaw {
        if (bytesPerSecond < LEAST_BYTES_PER_SECOND) {
            throw new IllegalArgumentException(
                    "bytesPerSecond: " + bytesPerSecond + " (expected: >= " + LEAST_BYTES_PER_SECOND + ")");
        }
        if (latency.isNegative()) {
            throw new IllegalArgumentException("latency: " + Durations.format(latency) + " (expected: >= 0s)");
        }
    }

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        return bytesPerSecond;
    }

    @Override
    public ResponseTiming answer(long request, long sinceStartNanos) {
        return new ResponseTiming(latency.toNanos(), 0, 0);
    }

    @Override
    public boolean shared() {
        return true;
    }

    @Override
    public StoreLaw withSeed(long seed) {
        return this;
    }
}

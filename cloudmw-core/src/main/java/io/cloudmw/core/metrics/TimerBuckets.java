package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * The bounds of the buckets by which percentiles of a timer are computed over many processes: each bound is two to two
 * and a half times the one before, from what a cache takes to what no reader waits for.
 */
final class TimerBuckets {
    private static final Duration[] BOUNDS = {
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(200),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private TimerBuckets() {}

    /** A timer with these buckets. */
    static Timer.Builder timer(String name) {
        return Timer.builder(name).serviceLevelObjectives(BOUNDS);
    }
}

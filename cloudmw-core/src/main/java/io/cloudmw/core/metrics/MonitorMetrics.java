package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of the performance monitor itself. Safe for any thread. */
public final class MonitorMetrics {
    /** Pairs of store and size whose speeds are kept. */
    public static final String KEYS = "cloudmw.monitor.keys";

    /** Pairs evicted for others. */
    public static final String EVICTED = "cloudmw.monitor.evicted";

    private final AtomicInteger keys;
    private final Counter evicted;

    public MonitorMetrics(MeterRegistry meters) {
        keys = java.util.Objects.requireNonNull(meters.gauge(KEYS, new AtomicInteger()));
        evicted = meters.counter(EVICTED);
    }

    public void keys(int count) {
        keys.set(count);
    }

    public void evicted() {
        evicted.increment();
    }
}

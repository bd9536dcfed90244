package io.cloudmw.core.metrics;

import io.cloudmw.core.model.Priority;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The meters of one pool with scheduled work. Safe for any thread. */
public final class ScheduleMetrics {
    /** Work items that wait. */
    public static final String QUEUED = "cloudmw.schedule.queued";

    /** Time from submission to start. */
    public static final String WAIT = "cloudmw.schedule.wait";

    /** Bytes moved by work that was started. */
    public static final String SERVED = "cloudmw.schedule.served";

    /** Work items refused because the queue was full. */
    public static final String REFUSED = "cloudmw.schedule.refused";

    /** Tag of all of them: the pool. */
    public static final String POOL = "pool";

    /** Tag of all of them: {@code interactive}, {@code batch}, {@code prefetch}, {@code repair}. */
    public static final String PRIORITY = "priority";

    private final MeterRegistry meters;
    private final String pool;
    private final Map<Priority, Timer> wait;
    private final Map<Priority, Counter> served;
    private final Map<Priority, Counter> refused;

    public ScheduleMetrics(MeterRegistry meters, String pool) {
        this.meters = meters;
        this.pool = pool;
        this.wait = each(priority -> Timer.builder(WAIT)
                .description("From when work came to when it began")
                .tags(POOL, pool, PRIORITY, priority.label())
                .register(meters));
        this.served = each(priority -> Counter.builder(SERVED)
                .baseUnit("bytes")
                .description("Bytes moved by work that had its turn")
                .tags(POOL, pool, PRIORITY, priority.label())
                .register(meters));
        this.refused = each(priority -> Counter.builder(REFUSED)
                .description("Pieces of work for which there was no room")
                .tags(POOL, pool, PRIORITY, priority.label())
                .register(meters));
    }

    private static <M> Map<Priority, M> each(Function<Priority, M> made) {
        Map<Priority, M> all = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            all.put(priority, made.apply(priority));
        }
        return all;
    }

    /** Reports {@code queued} as the lengths of the queues, as long as it lives. */
    public void watch(ToIntFunction<Priority> queued) {
        for (Priority priority : Priority.values()) {
            Gauge.builder(QUEUED, () -> queued.applyAsInt(priority))
                    .description("Pieces of work that wait for their turn")
                    .tags(POOL, pool, PRIORITY, priority.label())
                    .register(meters);
        }
    }

    public void waited(Priority priority, long nanos) {
        of(wait, priority).record(nanos, TimeUnit.NANOSECONDS);
    }

    public void served(Priority priority, long bytes) {
        of(served, priority).increment((double) bytes);
    }

    public void refused(Priority priority) {
        of(refused, priority).increment();
    }

    private static <M> M of(Map<Priority, M> all, Priority priority) {
        M meter = all.get(priority);
        if (meter == null) {
            throw new IllegalStateException("no meter of " + priority);
        }
        return meter;
    }
}

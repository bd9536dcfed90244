package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The meters of a coordinator. Safe for any thread. */
public final class CoordinatorMetrics {
    /** Answered calls and their duration; watches, which last, do not count. */
    public static final String CALLS = "cloudmw.coordinator.calls";

    /** Calls of the catalog: reads, and changes, each of which is a transaction. */
    public static final String CATALOG = "cloudmw.coordinator.catalog";

    /** Helpers with a lease. */
    public static final String HELPERS = "cloudmw.coordinator.helpers";

    /** 1 while this coordinator does upkeep, 0 while another does. */
    public static final String UPKEEP = "cloudmw.coordinator.upkeep";

    /** Upkeep tasks that wait for a helper, or that a helper works on. */
    public static final String TASKS = "cloudmw.coordinator.tasks";

    /** Chunks found with too few good replicas. */
    public static final String FOUND = "cloudmw.coordinator.repair.found";

    /** Replicas made to repair them. */
    public static final String REPAIRED = "cloudmw.coordinator.repair.copies";

    /** Bytes of replicas that garbage collection has deleted. */
    public static final String COLLECTED = "cloudmw.coordinator.collect.deleted";

    /** Packs that garbage collection has replaced by smaller ones. */
    public static final String COMPACTED = "cloudmw.coordinator.collect.compacted";

    /** Bytes that those packs take less in stores. */
    public static final String COMPACTED_BYTES = "cloudmw.coordinator.collect.compacted.freed";

    /** Tag of {@link #CALLS}: the method of the protocol. */
    public static final String METHOD = "method";

    /** Tag of {@link #CATALOG}: the method of {@code Catalog}, or of a part of it. */
    public static final String OPERATION = "operation";

    /** Tag of {@link #CALLS} and {@link #CATALOG}: {@value #OK}, or a code of {@code docs/errors.md}. */
    public static final String CODE = "code";

    public static final String OK = "OK";

    private static final String STATE = "state";

    private final MeterRegistry meters;

    public CoordinatorMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /** Counts an answered call. */
    public void called(String method, String code, long nanos) {
        TimerBuckets.timer(CALLS)
                .description("Calls that were answered")
                .tags(METHOD, method, CODE, code)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Counts a call of the catalog. */
    public void looked(String operation, String code, long nanos) {
        Timer.builder(CATALOG)
                .description("Calls of the catalog")
                .tags(OPERATION, operation, CODE, code)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * The state of upkeep now; 0 where another coordinator does it.
     *
     * @param doing 1 while this coordinator does upkeep
     * @param found chunks with too few good replicas at the last complete check
     * @param repaired replicas made since this coordinator does upkeep
     * @param collectedBytes deleted by the current round, or the last one
     * @param compacted packs replaced by smaller ones in that round
     * @param compactedBytes how many bytes less those take in all stores
     */
    public record Progress(
            LongSupplier doing,
            LongSupplier waiting,
            LongSupplier given,
            LongSupplier found,
            LongSupplier repaired,
            LongSupplier collectedBytes,
            LongSupplier compacted,
            LongSupplier compactedBytes) {}

    /** Reports the number of helpers and the state of upkeep from now on. */
    public void watch(LongSupplier helpers, Progress progress) {
        register(gauge(HELPERS, "Helpers that have a lease", helpers));
        register(gauge(UPKEEP, "1 while this coordinator does upkeep", progress.doing()));
        register(gauge(TASKS, "Tasks of upkeep", progress.waiting()).tag(STATE, "waiting"));
        register(gauge(TASKS, "Tasks of upkeep", progress.given()).tag(STATE, "given"));
        register(gauge(FOUND, "Chunks with too few good copies", progress.found()));
        register(gauge(REPAIRED, "Copies made to repair them", progress.repaired()));
        register(gauge(COLLECTED, "Deleted by garbage collection", progress.collectedBytes())
                .baseUnit("bytes"));
        register(gauge(COMPACTED, "Packs replaced by smaller ones", progress.compacted()));
        register(gauge(COMPACTED_BYTES, "Bytes that smaller packs free", progress.compactedBytes())
                .baseUnit("bytes"));
    }

    private static Gauge.Builder<?> gauge(String name, String description, LongSupplier value) {
        return Gauge.builder(name, value::getAsLong).description(description);
    }

    private void register(Gauge.Builder<?> gauge) {
        gauge.register(meters);
    }
}

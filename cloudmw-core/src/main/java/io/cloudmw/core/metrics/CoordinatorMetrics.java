package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What is counted of a coordinator. Safe for any thread. */
public final class CoordinatorMetrics {
    /** Calls that were answered, and how long that took; watches, which last, are none. */
    public static final String CALLS = "cloudmw.coordinator.calls";

    /** Calls of the catalog: reads, and changes, each of which is a transaction. */
    public static final String CATALOG = "cloudmw.coordinator.catalog";

    /** Helpers that have a lease. */
    public static final String HELPERS = "cloudmw.coordinator.helpers";

    /** 1 while this coordinator does upkeep, 0 while another does. */
    public static final String UPKEEP = "cloudmw.coordinator.upkeep";

    /** Tasks of upkeep that wait for a helper, or that one has. */
    public static final String TASKS = "cloudmw.coordinator.tasks";

    /** Chunks that were found to have too few good copies. */
    public static final String FOUND = "cloudmw.coordinator.repair.found";

    /** Copies made to repair them. */
    public static final String REPAIRED = "cloudmw.coordinator.repair.copies";

    /** Bytes of copies that garbage collection has deleted. */
    public static final String COLLECTED = "cloudmw.coordinator.collect.deleted";

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

    /** A call was answered. */
    public void called(String method, String code, long nanos) {
        Timer.builder(CALLS)
                .description("Calls that were answered")
                .tags(METHOD, method, CODE, code)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** The catalog was called. */
    public void looked(String operation, String code, long nanos) {
        Timer.builder(CATALOG)
                .description("Calls of the catalog")
                .tags(OPERATION, operation, CODE, code)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * How upkeep is, now; 0 where another coordinator does it.
     *
     * @param doing 1 while it is done here
     * @param found chunks with too few good copies, when all were last looked at
     * @param repaired copies made since it is done here
     * @param collectedBytes deleted by the round under way, or the last one
     */
    public record Progress(
            LongSupplier doing,
            LongSupplier waiting,
            LongSupplier given,
            LongSupplier found,
            LongSupplier repaired,
            LongSupplier collectedBytes) {}

    /** Tells from now on how many helpers there are, and how upkeep is. */
    public void watch(LongSupplier helpers, Progress progress) {
        register(gauge(HELPERS, "Helpers that have a lease", helpers));
        register(gauge(UPKEEP, "1 while this coordinator does upkeep", progress.doing()));
        register(gauge(TASKS, "Tasks of upkeep", progress.waiting()).tag(STATE, "waiting"));
        register(gauge(TASKS, "Tasks of upkeep", progress.given()).tag(STATE, "given"));
        register(gauge(FOUND, "Chunks with too few good copies", progress.found()));
        register(gauge(REPAIRED, "Copies made to repair them", progress.repaired()));
        register(gauge(COLLECTED, "Deleted by garbage collection", progress.collectedBytes())
                .baseUnit("bytes"));
    }

    private static Gauge.Builder<?> gauge(String name, String description, LongSupplier value) {
        return Gauge.builder(name, value::getAsLong).description(description);
    }

    private void register(Gauge.Builder<?> gauge) {
        gauge.register(meters);
    }
}

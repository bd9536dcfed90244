package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The meters of a client that is embedded in an application. Safe for any thread. */
public final class ClientMetrics {
    /** The time of transfers, from the call to their end. */
    public static final String TRANSFERS = "cloudmw.client.transfers";

    /** The transfers under way. */
    public static final String RUNNING = "cloudmw.client.transfers.running";

    /** The bytes of files that transfers have delivered or stored. */
    public static final String BYTES = "cloudmw.client.bytes";

    /** The verified bytes that gets received, by the way they came. */
    public static final String READ_BYTES = "cloudmw.client.read.bytes";

    /** Tag of {@link #READ_BYTES}: {@code fleet}, {@code direct} or {@code peer}. */
    public static final String PATH = "path";

    /** The bytes that gets may still put in flight. */
    public static final String FREE_MEMORY = "cloudmw.client.memory.free";

    /** Tag: {@code get}, {@code put}, {@code edit} or {@code warm}. */
    public static final String OPERATION = "operation";

    /** Tag of {@link #TRANSFERS}: {@code OK} or an error code. */
    public static final String CODE = "code";

    /** The {@link #CODE} of a transfer that succeeded. */
    public static final String OK = "OK";

    private final MeterRegistry meters;

    public ClientMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /** Reports these figures from now on. */
    public void watch(LongSupplier running, LongSupplier freeMemoryBytes) {
        Gauge.builder(RUNNING, running::getAsLong)
                .description("Transfers under way")
                .register(meters);
        Gauge.builder(FREE_MEMORY, freeMemoryBytes::getAsLong)
                .baseUnit("bytes")
                .description("Bytes that gets may still put in flight")
                .register(meters);
    }

    /**
     * Counts a transfer that has ended.
     *
     * @param bytes of the file that it has moved; 0 when it failed
     */
    public void ended(String operation, String code, long nanos, long bytes) {
        Timer.builder(TRANSFERS)
                .description("Transfers, from the call to their end")
                .tag(OPERATION, operation)
                .tag(CODE, code)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
        Counter.builder(BYTES)
                .baseUnit("bytes")
                .description("Bytes of files delivered or stored")
                .tag(OPERATION, operation)
                .register(meters)
                .increment((double) bytes);
    }

    /**
     * Counts what a get received.
     *
     * @param fleetBytes through helpers
     * @param directBytes from stores without a helper
     * @param peerBytes from other clients
     */
    public void read(long fleetBytes, long directBytes, long peerBytes) {
        count("fleet", fleetBytes);
        count("direct", directBytes);
        count("peer", peerBytes);
    }

    private void count(String path, long bytes) {
        Counter.builder(READ_BYTES)
                .baseUnit("bytes")
                .description("Verified bytes that gets received")
                .tag(PATH, path)
                .register(meters)
                .increment((double) bytes);
    }
}

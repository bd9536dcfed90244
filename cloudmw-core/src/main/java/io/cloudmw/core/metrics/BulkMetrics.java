package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** The meters of the bulk plane. Safe for any thread. */
public final class BulkMetrics {
    /** Connections closed, refused or found silent, and payloads refused, because of the peer; by {@link #KIND}. */
    public static final String VIOLATIONS = "cloudmw.bulk.violations";

    /** Time that event loops busy-polled for the next small read; they may have yielded their processors meanwhile. */
    public static final String AWAKE = "cloudmw.bulk.awake";

    /** Bytes of data frames received, verified or not. */
    public static final String RECEIVED = "cloudmw.bulk.received";

    /** Bytes of data frames handed to the kernel. */
    public static final String SENT = "cloudmw.bulk.sent";

    /** Connections open now, handshakes included. */
    public static final String CONNECTIONS = "cloudmw.bulk.connections";

    /** Direct memory that the pool of buffers has taken from the system. */
    public static final String POOLED = "cloudmw.bulk.memory.pooled";

    /** The part of it in buffers that are in use. */
    public static final String USED = "cloudmw.bulk.memory.used";

    /** Tag of {@link #VIOLATIONS}: the violation, as in {@code docs/protocol.md}. */
    public static final String KIND = "kind";

    private final MeterRegistry meters;
    private final Counter received;
    private final Counter sent;
    /** The same as {@link #received}, readable whatever the registry is. */
    private final LongAdder receivedBytes = new LongAdder();

    private final AtomicInteger connections;
    private volatile LongSupplier awakeNanos = () -> 0;

    public BulkMetrics(MeterRegistry meters) {
        this.meters = meters;
        this.received = Counter.builder(RECEIVED)
                .baseUnit("bytes")
                .description("Bytes of data frames taken in")
                .register(meters);
        this.sent = Counter.builder(SENT)
                .baseUnit("bytes")
                .description("Bytes of data frames handed to the kernel")
                .register(meters);
        this.connections = new AtomicInteger();
        meters.gauge(CONNECTIONS, connections);
        FunctionCounter.builder(AWAKE, this, metrics -> metrics.awakeNanos.getAsLong() / 1e9)
                .baseUnit("seconds")
                .description("Time event loops stayed awake for the next small read")
                .register(meters);
    }

    /** Reports the memory of the pool of buffers from now on. */
    public void memory(LongSupplier pooledBytes, LongSupplier usedBytes) {
        Gauge.builder(POOLED, pooledBytes::getAsLong)
                .baseUnit("bytes")
                .description("Direct memory that the pool of buffers has taken from the system")
                .register(meters);
        Gauge.builder(USED, usedBytes::getAsLong)
                .baseUnit("bytes")
                .description("Direct memory in buffers that are in use")
                .register(meters);
    }

    /** Reports the time of busy polls from now on. */
    public void awake(LongSupplier nanos) {
        awakeNanos = nanos;
    }

    public void violation(String kind) {
        meters.counter(VIOLATIONS, KIND, kind).increment();
    }

    public void received(int bytes) {
        received.increment(bytes);
        receivedBytes.add(bytes);
    }

    /** The bytes received so far. */
    public long receivedBytes() {
        return receivedBytes.sum();
    }

    public void sent(int bytes) {
        sent.increment(bytes);
    }

    public void opened() {
        connections.incrementAndGet();
    }

    public void closed() {
        connections.decrementAndGet();
    }
}

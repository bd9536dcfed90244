package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** What the bulk plane counts. Safe for any thread. */
public final class BulkMetrics {
    /** Connections closed, refused or found dead, or payloads refused, because of the peer; by {@link #KIND}. */
    public static final String VIOLATIONS = "cloudmw.bulk.violations";

    /** Bytes of data frames taken in, verified or not. */
    public static final String RECEIVED = "cloudmw.bulk.received";

    /** Bytes of data frames handed to the kernel. */
    public static final String SENT = "cloudmw.bulk.sent";

    /** Connections open now, handshakes included. */
    public static final String CONNECTIONS = "cloudmw.bulk.connections";

    /** Tag of {@link #VIOLATIONS}: what the peer did, as in {@code docs/protocol.md}. */
    public static final String KIND = "kind";

    private final MeterRegistry meters;
    private final Counter received;
    private final Counter sent;
    private final AtomicInteger connections;

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
    }

    public void violation(String kind) {
        meters.counter(VIOLATIONS, KIND, kind).increment();
    }

    public void received(int bytes) {
        received.increment(bytes);
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

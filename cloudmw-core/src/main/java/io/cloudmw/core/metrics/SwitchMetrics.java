package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of a switch's trees. Safe for any thread. */
public final class SwitchMetrics {
    /** Bytes received from switches above this one. */
    public static final String RECEIVED = "cloudmw.switch.received";

    /** Bytes sent to switches below this one. */
    public static final String SENT = "cloudmw.switch.sent";

    /** Times a fetch moved on to the next switch above, or to the store, because one did not deliver the rest. */
    public static final String MOVED = "cloudmw.switch.moved";

    /** Requests for blocks, or parts of them, of switches below or of open files that were refused. */
    public static final String REFUSED = "cloudmw.switch.refused";

    /** Bytes fetched because a client warms this switch. */
    public static final String WARMED = "cloudmw.switch.warmed";

    private final Counter received;
    private final Counter sent;
    private final Counter moved;
    private final Counter refused;
    private final Counter warmed;

    public SwitchMetrics(MeterRegistry meters) {
        received = Counter.builder(RECEIVED).baseUnit("bytes").register(meters);
        sent = Counter.builder(SENT).baseUnit("bytes").register(meters);
        moved = meters.counter(MOVED);
        refused = meters.counter(REFUSED);
        warmed = Counter.builder(WARMED).baseUnit("bytes").register(meters);
    }

    public long receivedBytes() {
        return Math.round(received.count());
    }

    public long sentBytes() {
        return Math.round(sent.count());
    }

    public void received(long bytes) {
        received.increment((double) bytes);
    }

    public void sent(long bytes) {
        sent.increment((double) bytes);
    }

    public void warmed(long bytes) {
        warmed.increment((double) bytes);
    }

    public void moved() {
        moved.increment();
    }

    public void refused() {
        refused.increment();
    }
}

package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** What a switch counts of the trees it is a member of. Safe for any thread. */
public final class SwitchMetrics {
    /** Bytes that came from switches above this one. */
    public static final String RECEIVED = "cloudmw.switch.received";

    /** Bytes sent to switches below this one. */
    public static final String SENT = "cloudmw.switch.sent";

    /** Times a fetch went on at the next switch above, or at the store, because one did not bring the rest. */
    public static final String MOVED = "cloudmw.switch.moved";

    /** Blocks, or parts of them, that switches below this one, or readers of open files, asked for and were refused. */
    public static final String REFUSED = "cloudmw.switch.refused";

    /** Bytes that came because a client has this switch warmed. */
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

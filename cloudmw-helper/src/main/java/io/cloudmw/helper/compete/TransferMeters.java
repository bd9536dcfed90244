package io.cloudmw.helper.compete;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** What is counted of transfers. Safe for any thread. */
public final class TransferMeters {
    public static final String WASTED = "cloudmw.race.wasted";
    public static final String ATTEMPTS = "cloudmw.race.attempts";
    public static final String WINS = "cloudmw.race.wins";
    public static final String LOSSES = "cloudmw.race.losses";
    public static final String FORFEITS = "cloudmw.race.forfeits";
    public static final String CANCELLED = "cloudmw.race.cancelled";
    public static final String FAILED = "cloudmw.race.failed";
    public static final String RELAYS = "cloudmw.relay.sent";
    public static final String RELAYS_FAILED = "cloudmw.relay.failed";
    public static final String RELAYED_BYTES = "cloudmw.relay.bytes";
    public static final String FAULTS = "cloudmw.replica.faults";

    final Counter wastedBytes;
    final Counter attempts;
    final Counter wins;
    final Counter losses;
    final Counter forfeits;
    final Counter cancelled;
    final Counter failed;
    final Counter relays;
    final Counter relaysFailed;
    final Counter relayedBytes;
    final Counter faults;

    public TransferMeters(MeterRegistry registry) {
        wastedBytes = bytes(registry, WASTED);
        attempts = registry.counter(ATTEMPTS);
        wins = registry.counter(WINS);
        losses = registry.counter(LOSSES);
        forfeits = registry.counter(FORFEITS);
        cancelled = registry.counter(CANCELLED);
        failed = registry.counter(FAILED);
        relays = registry.counter(RELAYS);
        relaysFailed = registry.counter(RELAYS_FAILED);
        relayedBytes = bytes(registry, RELAYED_BYTES);
        faults = registry.counter(FAULTS);
    }

    private static Counter bytes(MeterRegistry registry, String name) {
        return Counter.builder(name).baseUnit("bytes").register(registry);
    }
}

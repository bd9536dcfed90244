package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of a helper's races and relays. Safe for any thread. */
public final class RaceMetrics {
    /** Attempts started. */
    public static final String ATTEMPTS = "cloudmw.race.attempts";

    /**
     * Blocks that this helper delivered to the destination; when another helper brought the rest of a block, only that
     * one has won.
     */
    public static final String WINS = "cloudmw.race.wins";

    /** Blocks another racer won. */
    public static final String LOSSES = "cloudmw.race.losses";

    /** Blocks that this helper could deliver from no replica. */
    public static final String FORFEITS = "cloudmw.race.forfeits";

    /** Attempts cancelled, mostly because another racer was faster. */
    public static final String CANCELLED = "cloudmw.race.cancelled";

    /** Attempts that failed. */
    public static final String FAILED = "cloudmw.race.failed";

    /** Bytes fetched and not sent to a destination: the price of racing. */
    public static final String WASTED = "cloudmw.race.wasted";

    /** Relays that delivered all that the destination wanted. */
    public static final String RELAYS = "cloudmw.relay.sent";

    /** Relays that the destination refused, or that broke. */
    public static final String RELAYS_FAILED = "cloudmw.relay.failed";

    /** Bytes sent to destinations. */
    public static final String RELAYED = "cloudmw.relay.bytes";

    /**
     * Bytes of blocks that were dropped for others before the destination took any of them; fetched again when it did.
     */
    public static final String RECLAIMED = "cloudmw.relay.reclaimed";

    /** Replicas found missing or corrupt. */
    public static final String FAULTS = "cloudmw.replica.faults";

    /** Second attempts beside late ones, as reported at the ends of transfers. */
    public static final String HEDGES = "cloudmw.race.hedges";

    /** Second attempts that brought the bytes. */
    public static final String HEDGES_WON = "cloudmw.race.hedges.won";

    /** Second attempts that were due and that the budget suppressed. */
    public static final String HEDGES_SUPPRESSED = "cloudmw.race.hedges.suppressed";

    private final Counter attempts;
    private final Counter wins;
    private final Counter losses;
    private final Counter forfeits;
    private final Counter cancelled;
    private final Counter failed;
    private final Counter wasted;
    private final Counter relays;
    private final Counter relaysFailed;
    private final Counter relayed;
    private final Counter reclaimed;
    private final Counter faults;
    private final Counter hedges;
    private final Counter hedgesWon;
    private final Counter hedgesSuppressed;

    public RaceMetrics(MeterRegistry meters) {
        attempts = meters.counter(ATTEMPTS);
        wins = meters.counter(WINS);
        losses = meters.counter(LOSSES);
        forfeits = meters.counter(FORFEITS);
        cancelled = meters.counter(CANCELLED);
        failed = meters.counter(FAILED);
        wasted = bytes(meters, WASTED);
        relays = meters.counter(RELAYS);
        relaysFailed = meters.counter(RELAYS_FAILED);
        relayed = bytes(meters, RELAYED);
        reclaimed = bytes(meters, RECLAIMED);
        faults = meters.counter(FAULTS);
        hedges = meters.counter(HEDGES);
        hedgesWon = meters.counter(HEDGES_WON);
        hedgesSuppressed = meters.counter(HEDGES_SUPPRESSED);
    }

    private static Counter bytes(MeterRegistry meters, String name) {
        return Counter.builder(name).baseUnit("bytes").register(meters);
    }

    /** The counts so far. */
    public record Totals(
            long attempts,
            long wins,
            long cancelled,
            long failed,
            long relayedBytes,
            long wastedBytes,
            long hedges,
            long hedgesWon,
            long hedgesSuppressed) {}

    public Totals totals() {
        return new Totals(
                Math.round(attempts.count()),
                Math.round(wins.count()),
                Math.round(cancelled.count()),
                Math.round(failed.count()),
                Math.round(relayed.count()),
                Math.round(wasted.count()),
                Math.round(hedges.count()),
                Math.round(hedgesWon.count()),
                Math.round(hedgesSuppressed.count()));
    }

    public void started() {
        attempts.increment();
    }

    public void won() {
        wins.increment();
    }

    public void lost() {
        losses.increment();
    }

    public void forfeited() {
        forfeits.increment();
    }

    public void cancelled() {
        cancelled.increment();
    }

    public void failed() {
        failed.increment();
    }

    /** Counts the bytes of one attempt. */
    public void brought(long relayedBytes, long wastedBytes) {
        relayed.increment((double) relayedBytes);
        wasted.increment((double) wastedBytes);
    }

    public void reclaimed(long bytes) {
        reclaimed.increment((double) bytes);
    }

    public void relayed() {
        relays.increment();
    }

    public void relayFailed() {
        relaysFailed.increment();
    }

    /** Counts the second attempts of one transfer. */
    public void hedged(long issued, long won, long suppressed) {
        hedges.increment((double) issued);
        hedgesWon.increment((double) won);
        hedgesSuppressed.increment((double) suppressed);
    }

    public void fault() {
        faults.increment();
    }
}

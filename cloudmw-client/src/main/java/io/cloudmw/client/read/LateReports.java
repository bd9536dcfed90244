package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.Threads;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reports that a read still waits for once every byte is delivered: the ends of its attempts, for the receipt, and
 * the helpers' checks of doubted replicas. Confined to the transfer's serial executor.
 */
final class LateReports {
    /** The receipt of a short read waits only briefly for a helper that is stuck; see {@link #waitNanos}. */
    private static final long LEAST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MOST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** A helper checks a replica within milliseconds, or later when it is busy. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Logger log = LoggerFactory.getLogger(LateReports.class);

    private final ClientContext context;
    private final ReadLedger ledger;
    private final Racers racers;
    private final long startedNanos;
    /** Blocks of which damaged leaves came, with the racer whose helper was asked to check its replica. */
    private final Map<BlockId, RacerId> doubted = new HashMap<>();

    private final CompletableFuture<Void> complete = new CompletableFuture<>();

    LateReports(ClientContext context, ReadLedger ledger, Racers racers) {
        this.context = context;
        this.ledger = ledger;
        this.racers = racers;
        startedNanos = context.ticker().nanos();
    }

    /** Completes when every report has arrived, or after a short time. */
    CompletableFuture<Void> complete() {
        return complete;
    }

    /** Asks the helper that sent damaged leaves of a block to check its replica. */
    void doubt(RacerId racer, BlockId block) {
        if (racers.doubt(racer, block)) {
            doubted.put(block, racer);
        }
    }

    /** Returns whether the block was doubted; its replica is checked now. */
    boolean checked(BlockId block) {
        return doubted.remove(block) != null;
    }

    /** Returns whether the racer's helper, which is gone, was asked about a replica. */
    boolean helperGone(RacerId racer) {
        return doubted.values().removeIf(asked -> racers.name(asked).equals(racers.name(racer)));
    }

    /** Returns whether a helper has yet to answer about a doubted replica. */
    boolean hasDoubts() {
        return !doubted.isEmpty();
    }

    /** Starts to wait: {@link #complete} completes with the last report, or when the time is up. */
    void await() {
        long nanos = hasDoubts() ? CHECK_NANOS : waitNanos();
        if (isAllHere()
                || Threads.later(context.threads().timer(), nanos, this::giveUp).isEmpty()) {
            complete.complete(null);
        }
    }

    private void giveUp() {
        if (complete.complete(null)) {
            log.debug("the receipt lacks the ends of some attempts, which were not reported in time");
        }
    }

    /** A report has arrived: completes {@link #complete} if it was the last one. */
    void arrived() {
        if (isAllHere()) {
            complete.complete(null);
        }
    }

    private boolean isAllHere() {
        return !hasDoubts() && (!ledger.hasLiveAttempts() || !racers.mayReport());
    }

    /** A quarter of the read's time, within bounds. */
    private long waitNanos() {
        long quarter = (context.ticker().nanos() - startedNanos) / 4;
        return Math.min(MOST_WAIT_NANOS, Math.max(LEAST_WAIT_NANOS, quarter));
    }
}

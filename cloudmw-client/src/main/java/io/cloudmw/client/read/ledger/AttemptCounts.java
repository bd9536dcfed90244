package io.cloudmw.client.read.ledger;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReadShare;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one get's attempts and wins, by racer and store. Sums count everything; rows are kept up to a limit.
 * Confined to the transfer.
 */
final class AttemptCounts {
    private final Ticker ticker;
    private final Map<AttemptId, Attempt> live = new HashMap<>();
    private final List<Attempt> rows = new ArrayList<>();
    private final List<Win> wins = new ArrayList<>();
    private final Map<String, Long> winners = new HashMap<>();
    private final Map<StoreId, StoreUsage> usage = new HashMap<>();
    private final Map<Lane, ReadShare> shares = new HashMap<>();

    /** When blocks in flight were first attempted; the oldest entry is evicted. */
    private final Map<Integer, Long> begunNanos = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
            return size() > GetReceipt.MAX_ROWS;
        }
    };

    /** Blocks that were won before a report of the attempt came: data and reports travel on different connections. */
    private final Map<Integer, Win> winsWithoutReport = new HashMap<>();

    private @Nullable Win slowest;
    private long slowestNanos;
    private long fetchedBytes;
    private long attempts;
    private long cancelled;

    /** A racer and a store it reads. */
    private record Lane(String racer, StoreId store) {}

    AttemptCounts(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Records the progress of an attempt; returns false when it is to be ignored.
     *
     * @param racer the attempt's racer; in-process racers share a name
     */
    boolean attempted(RacerId racer, Attempt attempt) {
        AttemptId key = new AttemptId(new BlockId(attempt.block()), racer, attempt.number());
        Attempt before = live.get(key);
        boolean neverStarted = before == null && attempt.state() != AttemptState.STARTED && attempt.bytes() == 0;
        if (neverStarted && attempt.state() == AttemptState.CANCELLED) {
            return false;
        }
        if (before == null && !neverStarted) {
            attempts++;
            use(attempt, 1, 0);
            if (!isOfWinWithoutReport(attempt)) {
                begunNanos.putIfAbsent(attempt.block(), ticker.nanos());
            }
        }
        long more = Math.max(0, attempt.bytes() - (before == null ? 0 : before.bytes()));
        fetchedBytes += more;
        use(attempt, 0, more);
        if (attempt.state().isOver()) {
            live.remove(key);
            if (attempt.kept() && attempt.state() == AttemptState.FINISHED) {
                share(attempt.racer(), attempt.store(), share -> share.kept(attempt.bytes()));
            }
            cancelled += attempt.state() == AttemptState.CANCELLED ? 1 : 0;
            if (rows.size() < GetReceipt.MAX_ROWS) {
                rows.add(attempt);
            }
        } else {
            live.put(key, attempt);
        }
        return true;
    }

    /**
     * Returns whether this report belongs to a win that arrived first; that win then waits for its report no longer.
     */
    private boolean isOfWinWithoutReport(Attempt attempt) {
        Win win = winsWithoutReport.get(attempt.block());
        return win != null
                && win.store().equals(attempt.store())
                && win.racer().equals(attempt.racer())
                && winsWithoutReport.remove(attempt.block(), win);
    }

    void won(Win win) {
        Long begun = begunNanos.remove(win.block());
        if (begun == null && winsWithoutReport.size() < GetReceipt.MAX_ROWS) {
            winsWithoutReport.put(win.block(), win);
        } else if (begun == null) {
            countWithoutReport(win);
        }
        long took = begun == null ? 0 : ticker.nanos() - begun;
        if (took > slowestNanos) {
            slowest = win;
            slowestNanos = took;
        }
        winners.merge(win.racer(), 1L, Long::sum);
        share(win.racer(), win.store(), share -> share.won(win.bytes()));
        if (wins.size() < GetReceipt.MAX_ROWS) {
            wins.add(win);
        }
    }

    /** Counts winners without a report, because their helper died or fell silent: they were attempts all the same. */
    void countWinsWithoutReport() {
        winsWithoutReport.values().forEach(this::countWithoutReport);
        winsWithoutReport.clear();
    }

    private void countWithoutReport(Win win) {
        attempts++;
        fetchedBytes += win.bytes();
        use(win.store(), 1, win.bytes());
        share(win.racer(), win.store(), share -> share.fetched(1, win.bytes()));
    }

    private void use(Attempt attempt, long reads, long bytes) {
        if (!attempt.kept()) {
            use(attempt.store(), reads, bytes);
        }
        share(attempt.racer(), attempt.store(), share -> share.fetched(attempt.kept() ? 0 : reads, bytes));
    }

    private void share(String racer, StoreId store, UnaryOperator<ReadShare> change) {
        Lane lane = new Lane(racer, store);
        shares.put(lane, change.apply(shares.getOrDefault(lane, ReadShare.nothing(racer, store))));
    }

    private void use(StoreId store, long reads, long bytes) {
        usage.merge(store, StoreUsage.ofReads(reads, bytes), StoreUsage::plus);
    }

    /** Returns whether there are attempts whose end was not reported. */
    boolean hasLive() {
        return !live.isEmpty() || !winsWithoutReport.isEmpty();
    }

    /** Prepares for another plan: attempts under way are forgotten. */
    void startNextPlan() {
        live.clear();
        begunNanos.clear();
        countWinsWithoutReport();
    }

    /** The attempts as last reported, up to the limit. */
    List<Attempt> rows() {
        List<Attempt> all = new ArrayList<>(rows);
        live.values().stream().limit(GetReceipt.MAX_ROWS - rows.size()).forEach(all::add);
        return all;
    }

    List<Win> wins() {
        return wins;
    }

    Map<String, Long> winners() {
        return winners;
    }

    Map<StoreId, StoreUsage> usage() {
        return usage;
    }

    List<ReadShare> shares() {
        return List.copyOf(shares.values());
    }

    long fetchedBytes() {
        return fetchedBytes;
    }

    long attempts() {
        return attempts;
    }

    long cancelled() {
        return cancelled;
    }

    /** A text about the block that took longest. */
    String slowest() {
        Win win = slowest;
        return win == null
                ? "no block was slow: the time went before the first or after the last"
                : "slowest was a block of chunk " + win.chunkIndex() + ", "
                        + ReadLedger.text(Duration.ofNanos(slowestNanos)) + ", from " + win.store() + " by "
                        + win.racer();
    }
}

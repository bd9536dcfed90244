package io.cloudmw.client.read.ledger;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReadShare;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counts of one get, from which it tells its listener and makes its receipt. Sums count everything; rows are
 * kept up to a limit. Confined to the transfer.
 */
public final class ReadLedger {
    private static final int MAX_HINDRANCES = 8;
    private static final Logger log = LoggerFactory.getLogger(ReadLedger.class);

    private final TransferListener listener;
    private final Ticker ticker;
    private final Map<AttemptId, Attempt> live = new HashMap<>();
    private final List<Attempt> rows = new ArrayList<>();
    private final List<Win> wins = new ArrayList<>();
    private final Map<String, Long> winners = new HashMap<>();
    private final Set<ReplicaFault> faults = new HashSet<>();
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
    private final Map<Integer, Win> unheard = new HashMap<>();

    private final Set<String> hindrances = new LinkedHashSet<>();
    private @Nullable Win slowest;
    private long slowestNanos;
    private IssueCounts tally = IssueCounts.NONE;
    private long fetchedBytes;
    private long attempts;
    private long cancelled;
    private long bytes;
    private long keptBytes;
    private long peerBytes;
    /** Peers that failed in this get. */
    private final Set<PeerId> failedPeers = new HashSet<>();

    private int peersInVain;

    private long deliveredAtNanos;
    /** The bytes that the listener was told: never fewer, although a chunk may be read again. */
    private long told;
    /** Likewise bytes that an earlier get had left. */
    private long toldKept;

    private final BitSet done = new BitSet();

    /** A racer and a store it reads. */
    private record Lane(String racer, StoreId store) {}

    public ReadLedger(TransferListener listener, Ticker ticker) {
        this.listener = listener;
        this.ticker = ticker;
        deliveredAtNanos = ticker.nanos();
    }

    /**
     * Records the progress of an attempt.
     *
     * @param racer the attempt's racer; in-process racers share a name
     */
    public void attempted(RacerId racer, Attempt attempt) {
        AttemptId key = new AttemptId(new BlockId(attempt.block()), racer, attempt.number());
        Attempt before = live.get(key);
        boolean neverStarted = before == null && attempt.state() != AttemptState.STARTED && attempt.bytes() == 0;
        if (neverStarted && attempt.state() == AttemptState.CANCELLED) {
            return;
        }
        if (before == null && !neverStarted) {
            attempts++;
            use(attempt, 1, 0);
            if (!isOfUnheard(attempt)) {
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
        tell(() -> listener.attempted(attempt));
    }

    /** Whether this is the report of an attempt that has won already; then its end is no longer awaited. */
    private boolean isOfUnheard(Attempt attempt) {
        Win win = unheard.get(attempt.block());
        return win != null
                && win.store().equals(attempt.store())
                && win.racer().equals(attempt.racer())
                && unheard.remove(attempt.block(), win);
    }

    /** Counts winners without a report, because their helper died or fell silent: they were attempts all the same. */
    private void countUnheard() {
        unheard.values().forEach(this::countWithoutWord);
        unheard.clear();
    }

    private void countWithoutWord(Win win) {
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

    /** Whether there are attempts whose end was not reported. */
    public boolean hasLiveAttempts() {
        return !live.isEmpty() || !unheard.isEmpty();
    }

    public void delivered(long leafBytes, long total) {
        bytes += leafBytes;
        progressed(total);
    }

    /** Counts a leaf that a peer brought. */
    public void deliveredByPeer(long leafBytes, long total) {
        peerBytes += leafBytes;
        progressed(total);
    }

    private void progressed(long total) {
        deliveredAtNanos = ticker.nanos();
        tellProgress(total);
    }

    private void tellProgress(long total) {
        told = Math.max(told, keptBytes + bytes + peerBytes);
        tell(() -> listener.progressed(told, total));
    }

    /**
     * Excludes a peer from this get.
     *
     * @param inVain whether asking the peer cost time and brought nothing
     */
    public void peerFailed(PeerId peer, ErrorCode why, boolean inVain) {
        if (failedPeers.add(peer)) {
            peersInVain += inVain ? 1 : 0;
            hinder(peer + " was of no use (" + why + ")");
            tell(() -> listener.racerGone(peer.value(), why));
        }
    }

    /** The number of peers that were asked in vain. */
    public int peersInVain() {
        return peersInVain;
    }

    public boolean hasFailed(PeerId peer) {
        return failedPeers.contains(peer);
    }

    /** When verified bytes last came; when the read began, if none have. */
    public long deliveredAtNanos() {
        return deliveredAtNanos;
    }

    /** An earlier get may have left this many bytes. */
    public void resuming(long mostBytes) {
        tell(() -> listener.resuming(mostBytes));
    }

    /** Counts bytes that an earlier get had left. */
    public void kept(long leafBytes, long total) {
        if (leafBytes > 0) {
            keptBytes += leafBytes;
            toldKept = Math.max(toldKept, keptBytes);
            tell(() -> listener.reused(toldKept));
            tellProgress(total);
        }
    }

    /**
     * Prepares for another plan: everything but the done chunks is read again, and counted anew.
     *
     * @param openBytes bytes of other chunks that were handed on
     * @param openKeptBytes bytes of other chunks that an earlier get had left
     * @param openPeerBytes bytes of other chunks that peers brought
     */
    public void again(long openBytes, long openKeptBytes, long openPeerBytes) {
        bytes -= openBytes;
        peerBytes -= openPeerBytes;
        keptBytes -= openKeptBytes;
        live.clear();
        begunNanos.clear();
        countUnheard();
    }

    /** Every wanted byte of a chunk is at the destination. */
    public void chunkDone(long index) {
        done.set(Math.toIntExact(index));
    }

    public boolean isDone(long index) {
        return done.get(Math.toIntExact(index));
    }

    public int chunksDone() {
        return done.cardinality();
    }

    public void won(Win win) {
        Long begun = begunNanos.remove(win.block());
        if (begun == null && unheard.size() < GetReceipt.MAX_ROWS) {
            unheard.put(win.block(), win);
        } else if (begun == null) {
            countWithoutWord(win);
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
        tell(() -> listener.won(win));
    }

    /** Records a bad replica; false when it was known. */
    public boolean faulted(ReplicaFault fault) {
        if (faults.size() >= GetReceipt.MAX_ROWS || !faults.add(fault)) {
            return false;
        }
        hinder("a replica in " + fault.store() + " was bad (" + fault.code() + ")");
        tell(() -> listener.faulted(fault));
        return true;
    }

    /** The number of this chunk's replicas that are known to be bad. */
    public long faults(ChunkId chunk) {
        return faults.stream().filter(fault -> fault.chunk().equals(chunk)).count();
    }

    public void planned(FileVersion version, List<String> racers) {
        tell(() -> listener.planned(version, racers));
    }

    public void racerGone(String racer, ErrorCode why) {
        hinder("helper " + racer + " was lost (" + why + ")");
        tell(() -> listener.racerGone(racer, why));
    }

    public void racingLocally() {
        hinder("no helper was left, the client read by itself");
        tell(listener::racingLocally);
    }

    /** Adds the extra attempts of a plan that has ended; a read may follow several plans. */
    public void tally(IssueCounts more) {
        tally = tally.plus(more);
    }

    private Extras extras() {
        return new Extras(
                tally.hedges(),
                tally.hedgesWon(),
                tally.handOvers(),
                tally.handOversWon(),
                tally.steals(),
                tally.duplicates(),
                tally.retries(),
                tally.suppressed());
    }

    /** Records something that slows the read, as a reason for a missed deadline. */
    void hinder(String what) {
        if (hindrances.size() < MAX_HINDRANCES) {
            hindrances.add(what);
        }
    }

    /** Everything that slowed this read, in order. */
    Set<String> hindrances() {
        return hindrances;
    }

    /** A text about the block that took longest. */
    String slowest() {
        Win win = slowest;
        return win == null
                ? "no block was slow: the time went before the first or after the last"
                : "slowest was a block of chunk " + win.chunkIndex() + ", " + text(Duration.ofNanos(slowestNanos))
                        + ", from " + win.store() + " by " + win.racer();
    }

    /** A duration in seconds, for people. */
    public static String text(Duration duration) {
        return String.format(Locale.ROOT, "%.3f s", duration.toNanos() / 1e9);
    }

    private TransferCost cost(ReadPlan plan, Duration elapsed, Pricing pricing) {
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        long helperNanos = elapsed.toNanos() * plan.helpers().size();
        return new TransferCost(usage, pricing.bill(usage, stores, helperNanos));
    }

    public GetReceipt receipt(
            ReadPlan plan, long handedOn, Duration elapsed, Pricing pricing, Optional<DeadlineChoice> promise) {
        if (tally.suppressed() > 0) {
            hinder(tally.suppressed() + " second attempts were due and refused");
        }
        countUnheard();
        List<Attempt> all = new ArrayList<>(rows);
        live.values().stream().limit(GetReceipt.MAX_ROWS - rows.size()).forEach(all::add);
        return new GetReceipt(
                plan.version(),
                handedOn,
                chunksDone(),
                bytes,
                keptBytes,
                peerBytes,
                Math.max(0, fetchedBytes - bytes),
                attempts,
                cancelled,
                wins,
                winners,
                List.copyOf(shares.values()),
                all,
                List.copyOf(faults),
                elapsed,
                extras(),
                cost(plan, elapsed, pricing),
                promise.map(made -> made.kept(elapsed, this)));
    }

    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            log.warn("transfer listener failed", e);
        }
    }
}

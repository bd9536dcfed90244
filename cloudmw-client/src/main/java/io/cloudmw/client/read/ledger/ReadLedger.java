package io.cloudmw.client.read.ledger;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledger of one get, which reports to its listener and makes its receipt. Confined to the transfer. */
public final class ReadLedger {
    private static final int MAX_HINDRANCES = 8;
    private static final Logger log = LoggerFactory.getLogger(ReadLedger.class);

    private final TransferListener listener;
    private final AttemptCounts attempts;
    private final ByteCounts bytes;
    private final Set<ReplicaFault> faults = new HashSet<>();
    private final Set<String> hindrances = new LinkedHashSet<>();
    /** Peers that failed in this get. */
    private final Set<PeerId> failedPeers = new HashSet<>();

    private int uselessPeers;
    private IssueCounts tally = IssueCounts.NONE;
    private final BitSet done = new BitSet();

    public ReadLedger(TransferListener listener, Ticker ticker) {
        this.listener = listener;
        attempts = new AttemptCounts(ticker);
        bytes = new ByteCounts(ticker);
    }

    /**
     * Records the progress of an attempt.
     *
     * @param racer the attempt's racer; in-process racers share a name
     */
    public void attempted(RacerId racer, Attempt attempt) {
        if (attempts.attempted(racer, attempt)) {
            tell(() -> listener.attempted(attempt));
        }
    }

    /** Returns whether there are attempts whose end was not reported. */
    public boolean hasLiveAttempts() {
        return attempts.hasLive();
    }

    public void delivered(long leafBytes, long total) {
        bytes.addDelivered(leafBytes);
        tellProgress(total);
    }

    /** Counts a leaf that a peer brought. */
    public void deliveredByPeer(long leafBytes, long total) {
        bytes.addFromPeers(leafBytes);
        tellProgress(total);
    }

    private void tellProgress(long total) {
        long sum = bytes.toReport();
        tell(() -> listener.progressed(sum, total));
    }

    /**
     * Excludes a peer from this get.
     *
     * @param useless whether asking the peer cost time and brought nothing
     */
    public void peerFailed(PeerId peer, ErrorCode why, boolean useless) {
        if (failedPeers.add(peer)) {
            uselessPeers += useless ? 1 : 0;
            addHindrance(peer + " was of no use (" + why + ")");
            tell(() -> listener.racerGone(peer.value(), why));
        }
    }

    /** The number of peers that were asked in vain. */
    public int uselessPeers() {
        return uselessPeers;
    }

    public boolean hasFailed(PeerId peer) {
        return failedPeers.contains(peer);
    }

    /** When verified bytes last came; when the read began, if none have. */
    public long deliveredAtNanos() {
        return bytes.deliveredAtNanos();
    }

    /** An earlier get may have left this many bytes. */
    public void resuming(long mostBytes) {
        tell(() -> listener.resuming(mostBytes));
    }

    /** Counts bytes that an earlier get had left. */
    public void kept(long leafBytes, long total) {
        if (leafBytes > 0) {
            bytes.addKept(leafBytes);
            long kept = bytes.keptToReport();
            tell(() -> listener.reused(kept));
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
    public void startNextPlan(long openBytes, long openKeptBytes, long openPeerBytes) {
        bytes.subtract(openBytes, openKeptBytes, openPeerBytes);
        attempts.startNextPlan();
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
        attempts.won(win);
        tell(() -> listener.won(win));
    }

    /** Records a bad replica; false when it was known. */
    public boolean faulted(ReplicaFault fault) {
        if (faults.size() >= GetReceipt.MAX_ROWS || !faults.add(fault)) {
            return false;
        }
        addHindrance("a replica in " + fault.store() + " was bad (" + fault.code() + ")");
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
        addHindrance("helper " + racer + " was lost (" + why + ")");
        tell(() -> listener.racerGone(racer, why));
    }

    public void racingLocally() {
        addHindrance("no helper was left, the client read by itself");
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
    void addHindrance(String what) {
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
        return attempts.slowest();
    }

    /** A duration in seconds, for people. */
    public static String text(Duration duration) {
        return String.format(Locale.ROOT, "%.3f s", duration.toNanos() / 1e9);
    }

    private TransferCost cost(ReadPlan plan, Duration elapsed, Pricing pricing) {
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        long helperNanos = elapsed.toNanos() * plan.helpers().size();
        return new TransferCost(attempts.usage(), pricing.bill(attempts.usage(), stores, helperNanos));
    }

    public GetReceipt receipt(
            ReadPlan plan, long handedOn, Duration elapsed, Pricing pricing, Optional<DeadlineChoice> promise) {
        if (tally.suppressed() > 0) {
            addHindrance(tally.suppressed() + " second attempts were due and refused");
        }
        attempts.countWinsWithoutReport();
        return new GetReceipt(
                plan.version(),
                handedOn,
                chunksDone(),
                bytes.delivered(),
                bytes.kept(),
                bytes.fromPeers(),
                Math.max(0, attempts.fetchedBytes() - bytes.delivered()),
                attempts.attempts(),
                attempts.cancelled(),
                attempts.wins(),
                attempts.winners(),
                attempts.shares(),
                attempts.rows(),
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

package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An issued block and its progress: the attempts at it, its entrants, its relay, and how long it may take. */
final class BlockProgress {
    /**
     * The speed a block is measured by where its own store's is not known or not fair.
     *
     * @param afterNanos the delay after which the attempt was late that this block makes up for; 0: it makes up for
     *     none
     * @param bytesPerSecond the usual throughput of that attempt; 0: it makes up for none, or it is not known
     * @param insteadOf the faster store whose usual speed this block is given, because it only explores a slow one;
     *     null: its own store's
     */
    private record Baseline(
            long afterNanos,
            double bytesPerSecond,
            @Nullable StoreId insteadOf) {
        static final Baseline OWN_STORE = new Baseline(0, 0, null);
    }

    private final WantedRange range;
    private final Block block;
    private final IssueReason reason;
    private final long issuedAtNanos;
    private final EntrantStates entrants;
    private final AttemptProgress attempt = new AttemptProgress();
    private Baseline baseline = Baseline.OWN_STORE;
    private @Nullable OfferedRelay relay;
    private boolean relayed;
    private long allowedBytes;
    private boolean judged;
    private boolean dueAtOnce;
    private boolean postponed;
    private boolean waiting;
    private long waitingSinceNanos;
    private long heldSinceNanos;
    private long quietUntilNanos;

    BlockProgress(WantedRange range, Block block, IssueReason reason, long allowedBytes, long nowNanos) {
        this.range = range;
        this.block = block;
        this.entrants = new EntrantStates(block);
        this.reason = reason;
        this.allowedBytes = allowedBytes;
        this.issuedAtNanos = nowNanos;
        this.heldSinceNanos = nowNanos;
        this.quietUntilNanos = nowNanos;
    }

    BlockId id() {
        return block.id();
    }

    Block block() {
        return block;
    }

    WantedRange range() {
        return range;
    }

    ChunkRoutes chunk() {
        return range.chunk();
    }

    IssueReason reason() {
        return reason;
    }

    long issuedAtNanos() {
        return issuedAtNanos;
    }

    EntrantStates entrants() {
        return entrants;
    }

    AttemptProgress attempt() {
        return attempt;
    }

    boolean isCutThrough() {
        return block.isCutThrough();
    }

    boolean isEntrant(RacerId racer) {
        return entrants.find(racer) != null;
    }

    boolean isFirstEntrant(RacerId racer) {
        return block.entrants().get(0).racer().equals(racer);
    }

    /** The entrant that has the block now. */
    Entrant holder() {
        return entrants.holder(attempt.runner());
    }

    /** The store that the holder reads. */
    StoreId store() {
        return chunk().store(holder().replica());
    }

    // ---- relay

    /** The relay that was offered or accepted; null: none. */
    @Nullable
    OfferedRelay relay() {
        return relay;
    }

    void offered(OfferedRelay offer) {
        relay = offer;
    }

    void relayEnded() {
        relay = null;
    }

    /** Notes that a relay was accepted: leaves of the range delivered since then are this block's. */
    void accepted(long nowNanos) {
        relayed = true;
        attempt.moved(nowNanos);
    }

    /** Bytes of this block that were delivered. */
    long deliveredBytes() {
        return relayed ? range.missing().offset() - block.range().offset() : 0;
    }

    // ---- bytes

    /** Bytes not fetched of the part that is still wanted of this block. */
    long unfetchedBytes() {
        long reached = Math.max(
                block.range().offset() + attempt.bytes(), range.missing().offset());
        return attempt.isFetched() ? 0 : Math.max(0, range.missing().end() - reached);
    }

    /** Bytes that its racer has and the destination wants. */
    long undeliveredBytes() {
        long fetched = attempt.isFetched() ? block.range().length() : attempt.bytes();
        long reached =
                Math.min(block.range().offset() + fetched, range.missing().end());
        return Math.max(0, reached - range.missing().offset());
    }

    // ---- redundancy

    /** Bytes the budget allows this extra to fetch twice, not yet accounted for; 0: it is no extra. */
    long allowedBytes() {
        return allowedBytes;
    }

    void settleAllowance() {
        allowedBytes = 0;
    }

    /** This block makes up for an attempt that was late after {@code afterNanos}. */
    void makesUpFor(long afterNanos, double bytesPerSecond) {
        baseline = new Baseline(afterNanos, bytesPerSecond, baseline.insteadOf());
    }

    long madeUpForAfterNanos() {
        return baseline.afterNanos();
    }

    double madeUpForBytesPerSecond() {
        return baseline.bytesPerSecond();
    }

    /** This block explores whether a slow store has recovered, and has no more time than at {@code chosen}. */
    void exploresInsteadOf(StoreId chosen) {
        baseline = new Baseline(baseline.afterNanos(), baseline.bytesPerSecond(), chosen);
    }

    /** The store by whose usual speed the block is measured. */
    StoreId measuredBy() {
        StoreId chosen = baseline.insteadOf();
        return chosen == null ? store() : chosen;
    }

    /** Returns whether the budget was told how the attempt went. */
    boolean isJudged() {
        return judged;
    }

    void markJudged() {
        judged = true;
    }

    // ---- waiting

    /** Returns whether its racer had nothing else when it was issued. */
    boolean isDueAtOnce() {
        return dueAtOnce;
    }

    void markDueAtOnce() {
        dueAtOnce = true;
    }

    /** Returns whether the destination has not yet sent it to its helper. */
    boolean isPostponed() {
        return postponed;
    }

    /** The destination postpones sending the block, or sends it now. The holder answers for it from then on. */
    void postponed(boolean isPostponed, long nowNanos) {
        postponed = isPostponed;
        if (!isPostponed) {
            heldSinceNanos = nowNanos;
        }
    }

    /** A racer reports that it waits for room at its helper: the racer that has the block is not late meanwhile. */
    void waits(RacerId racer, long nowNanos) {
        if (!isEntrant(racer)) {
            return;
        }
        if (attempt.isFetched() && racer.equals(attempt.runner())) {
            attempt.moved(nowNanos);
        }
        if (entrants.isNamedWinner(racer)) {
            entrants.waitAnewForWinner(nowNanos);
        }
        if (!attempt.isBegun() && !waiting) {
            waiting = true;
            waitingSinceNanos = nowNanos;
        }
    }

    /** Returns whether its turn has come and its helper has reported that it has no room to start it. */
    boolean isWaitingForRoom() {
        return waiting;
    }

    /** Meaningful while {@link #isWaitingForRoom}. */
    long waitingSinceNanos() {
        return waitingSinceNanos;
    }

    /** Since when the {@link #holder} has had the block; the destination's absence does not count. */
    long heldSinceNanos() {
        return heldSinceNanos;
    }

    void heldSince(long nowNanos) {
        heldSinceNanos = nowNanos;
    }

    /** Until when no second attempt is asked for. */
    long quietUntilNanos() {
        return quietUntilNanos;
    }

    void quietUntil(long untilNanos) {
        quietUntilNanos = untilNanos;
    }

    /** The destination was away and saw nothing: every racer that is waited for gets its time again. */
    void resumed(long nowNanos) {
        attempt.moved(nowNanos);
        entrants.waitAnewForWinner(nowNanos);
        heldSinceNanos = nowNanos;
        if (relay != null) {
            relay.moved(nowNanos);
        }
    }

    /** For a cut-through block: whether the racer it was issued to has reported anything about it. */
    boolean isHeardOf() {
        return attempt.isBegun() || relay != null || waiting;
    }

    // ---- entrants that leave

    void lost(RacerId racer, RacerId winner, long nowNanos) {
        entrants.lost(racer, winner, nowNanos);
        heldSinceNanos = nowNanos;
    }

    void stopped(RacerId racer, long nowNanos) {
        entrants.stopped(racer);
        heldSinceNanos = nowNanos;
    }

    /** Returns whether the block cannot arrive as it was issued. */
    boolean isHopeless(LiveRacers racers) {
        if (relay != null) {
            return false;
        }
        if (isCutThrough()) {
            return isNoEntrantLeft(racers);
        }
        for (RacerId winner : entrants.namedWinners()) {
            if (!racers.isLive(winner)) {
                return true;
            }
        }
        for (Entrant entrant : block.entrants()) {
            if (!chunk().hasForfeited(entrant.racer()) && racers.isLive(entrant.racer())) {
                return false;
            }
        }
        return true;
    }

    private boolean isNoEntrantLeft(LiveRacers racers) {
        for (Entrant entrant : block.entrants()) {
            if (entrants.isIn(entrant.racer()) && racers.isLive(entrant.racer())) {
                return false;
            }
        }
        return true;
    }

    /**
     * The racers that the destination waits for while no relay is offered: the winners named by others or, before there
     * is one, the entrants still racing.
     */
    List<RacerId> awaited(LiveRacers racers) {
        List<RacerId> awaited = new ArrayList<>(block.entrants().size());
        for (Entrant entrant : block.entrants()) {
            RacerId racer = entrant.racer();
            boolean mayStill = racers.isLive(racer) && !chunk().hasForfeited(racer) && entrants.isIn(racer);
            if (mayStill && (!entrants.hasNamedWinner() || entrants.isNamedWinner(racer))) {
                awaited.add(racer);
            }
        }
        return awaited;
    }

    /** The time when a named winner must have offered its relay. */
    long offerDueNanos(DeliveryPolicy policy) {
        return entrants.lostAtNanos() + policy.patience().stallNanos();
    }

    /**
     * The time when entrants still racing must have given a sign of life. A helper that was heard before is silent for
     * a reason soon: it reports at once that it started a block, or waits. A helper that was never heard may still be
     * connecting.
     *
     * @param sinceNanos silence before this does not count
     */
    long signDueNanos(LiveRacers racers, long sinceNanos, DeliveryPolicy policy) {
        long heard = sinceNanos - issuedAtNanos < 0 ? issuedAtNanos : sinceNanos;
        boolean allSpoke = isCutThrough();
        for (RacerId racer : awaited(racers)) {
            allSpoke &= racers.hasSpoken(racer);
            heard = racers.heardAt(racer, heard);
        }
        return heard
                + (allSpoke ? policy.patience().stallNanos() : policy.patience().unofferedNanos());
    }
}

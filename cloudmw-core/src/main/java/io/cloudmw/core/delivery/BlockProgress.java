package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One issued block, and what is known of the attempts at it. */
final class BlockProgress {
    private static final int SAMPLES = 8;

    /** What is kept of one that does not run the block: its start, its first bytes, and the latest. */
    private static final int KEPT_BESIDES = 3;

    private record Sample(long atNanos, long bytes) {}

    /** What a racer said of its attempt, and when. */
    record Said(long atNanos, DeliveryEvent.Attempted attempt) {}

    final WantedRange piece;
    final Block block;
    final IssueReason reason;
    final long issuedAtNanos;
    /** Bytes the governor lets it fetch twice, not yet accounted for; 0 unless it is an extra. */
    long allowedBytes;

    /** Offered or accepted. */
    @Nullable
    OfferedRelay relay;
    /** Of a cut-through block: who started it; null: it waits in a queue. */
    @Nullable
    RacerId runner;

    /** A relay of it was accepted: what was delivered of its piece since is its own. */
    boolean relayed;

    long startedAtNanos;
    /** When more of it was there than before, or it started. */
    long movedAtNanos;
    /** The racer has the whole block. */
    boolean fetched;
    /** After what the attempt was late that this one makes up for; 0: it makes up for none. */
    long madeUpForAfterNanos;
    /** The usual throughput where that one was made; 0: it makes up for none, or nobody knows. */
    double madeUpForBytesPerSecond;
    /** It is read from a slow store to see whether that still is, and has no more time than at this one; null: it is not. */
    @Nullable
    StoreId insteadOf;
    /** Its racer had it before it was asked: how soon it comes says nothing of a store. */
    boolean kept;
    /** It was not issued to its helper yet. */
    boolean postponed;
    /** How it went was told to the governor. */
    boolean judged;
    /** When a second attempt may be asked for again. */
    long quietUntilNanos;
    /** Its turn has come, and its helper has no room to start it. */
    boolean waits;
    /** Since when; meaningless unless it waits. */
    long waitsSinceNanos;
    /** Its racer had nothing else when it was issued. */
    boolean isDueAtOnce;
    /** Since when its {@link #holder} is who it is; the destination's absence does not count. */
    long heldSinceNanos;

    private long bytes;
    private final Deque<Sample> samples = new ArrayDeque<>(SAMPLES);
    private final Map<RacerId, RacerId> lost = new HashMap<>();
    private final Set<RacerId> stopped = new HashSet<>();
    /** What entrants that do not run it said: of a tied block two may have started at once. */
    private final Map<RacerId, List<Said>> besides = new HashMap<>();

    private long lostAtNanos;

    BlockProgress(WantedRange piece, Block block, IssueReason reason, long allowedBytes, long nowNanos) {
        this.piece = piece;
        this.block = block;
        this.reason = reason;
        this.allowedBytes = allowedBytes;
        this.issuedAtNanos = nowNanos;
        this.heldSinceNanos = nowNanos;
        this.quietUntilNanos = nowNanos;
    }

    boolean isCutThrough() {
        return block.isCutThrough();
    }

    /** Whether an attempt of it is fetching now. */
    boolean isFetching() {
        return runner != null && !fetched;
    }

    /** Of a cut-through block: whether whoever it was issued to said anything of it. */
    boolean isHeardOf() {
        return runner != null || relay != null || waits;
    }

    @Nullable
    Entrant entrant(@Nullable RacerId racer) {
        for (Entrant entrant : block.entrants()) {
            if (entrant.racer().equals(racer)) {
                return entrant;
            }
        }
        return null;
    }

    boolean isEntrant(RacerId racer) {
        return entrant(racer) != null;
    }

    /** Whom it is with: who runs it, else the first entrant who may still. */
    Entrant holder() {
        Entrant running = entrant(runner);
        if (running != null) {
            return running;
        }
        for (Entrant entrant : block.entrants()) {
            if (isIn(entrant.racer())) {
                return entrant;
            }
        }
        return block.entrants().get(0);
    }

    StoreId store() {
        return piece.chunk.store(holder().replica());
    }

    /** The store by whose usual speed it is judged. */
    StoreId measure() {
        return insteadOf == null ? store() : insteadOf;
    }

    // ---- progress of a cut-through block

    /** Bytes fetched of the block, as far as is known here. */
    long bytes() {
        return bytes;
    }

    /** The destination was away and saw nothing: who is awaited gets his time again. */
    void resumed(long nowNanos) {
        movedAtNanos = nowNanos;
        lostAtNanos = nowNanos;
        heldSinceNanos = nowNanos;
        if (relay != null) {
            relay.movedAtNanos = nowNanos;
        }
    }

    /** Notes what an entrant said that does not run it, in case the one that does leaves it to that one. */
    void besides(DeliveryEvent.Attempted attempt, long nowNanos) {
        if (attempt.stage() == AttemptStage.STOPPED) {
            besides.remove(attempt.racer());
            return;
        }
        List<Said> said = besides.computeIfAbsent(attempt.racer(), absent -> new ArrayList<>(KEPT_BESIDES));
        if (said.isEmpty() || attempt.bytes() > 0) {
            if (said.size() == KEPT_BESIDES) {
                said.remove(KEPT_BESIDES - 1);
            }
            said.add(new Said(nowNanos, attempt));
        }
    }

    /** What this entrant said while another ran it, as much as counts; empty: nothing. */
    List<Said> saidBesides(RacerId racer) {
        return besides.getOrDefault(racer, List.of());
    }

    void started(RacerId racer, long nowNanos) {
        runner = racer;
        startedAtNanos = nowNanos;
        movedAtNanos = nowNanos;
        fetched = false;
        kept = false;
        bytes = 0;
        samples.clear();
    }

    /** Notes progress; true when these are the first bytes. */
    boolean moved(long now, long nowNanos) {
        if (now <= bytes) {
            return false;
        }
        boolean first = bytes == 0;
        bytes = now;
        movedAtNanos = nowNanos;
        if (samples.size() == SAMPLES) {
            samples.remove();
        }
        samples.add(new Sample(nowNanos, now));
        return first;
    }

    /** Bytes per nanosecond lately, silence included, the wait for the first byte not; 0: nobody can tell yet. */
    double rate(long nowNanos) {
        Sample oldest = samples.peek();
        if (oldest == null || nowNanos - oldest.atNanos <= 0) {
            return 0;
        }
        return (double) (bytes - oldest.bytes) / (nowNanos - oldest.atNanos);
    }

    /** How long bytes have been coming. */
    long flowingNanos(long nowNanos) {
        Sample oldest = samples.peek();
        return oldest == null ? 0 : nowNanos - oldest.atNanos;
    }

    /** Bytes not fetched of what the piece still wants of this block. */
    long unfetchedBytes() {
        long reached = Math.max(block.range().offset() + bytes, piece.missing().offset());
        return fetched ? 0 : Math.max(0, piece.missing().end() - reached);
    }

    /** Bytes its racer has and the destination wants. */
    long undeliveredBytes() {
        long reached = Math.min(
                block.range().offset() + (fetched ? block.range().length() : bytes),
                piece.missing().end());
        return Math.max(0, reached - piece.missing().offset());
    }

    /** The racer says that it waits for room at its helper: who has the block is not late with it meanwhile. */
    void waits(RacerId racer, long nowNanos) {
        if (!isEntrant(racer)) {
            return;
        }
        if (fetched && racer.equals(runner)) {
            movedAtNanos = nowNanos;
        }
        if (lost.containsValue(racer)) {
            lostAtNanos = nowNanos;
        }
        if (runner == null && !waits) {
            waits = true;
            waitsSinceNanos = nowNanos;
        }
    }

    /** Whose it is answers for it from when it was issued. */
    void postponed(boolean isPostponed, long nowNanos) {
        postponed = isPostponed;
        if (!isPostponed) {
            heldSinceNanos = nowNanos;
        }
    }

    // ---- who is out

    void lost(RacerId racer, RacerId winner, long nowNanos) {
        lost.put(racer, winner);
        lostAtNanos = nowNanos;
        heldSinceNanos = nowNanos;
    }

    /** Of a cut-through block: this entrant will not deliver it. */
    void stopped(RacerId racer, long nowNanos) {
        stopped.add(racer);
        heldSinceNanos = nowNanos;
    }

    /** Of a cut-through block: whether this entrant has not left it. */
    boolean isIn(RacerId racer) {
        return !stopped.contains(racer) && !lost.containsKey(racer);
    }

    /** Of a cut-through block: whether all entrants but one have left it, or there is only one. */
    boolean isOnesAlone() {
        return block.entrants().stream().map(Entrant::racer).filter(this::isIn).count() == 1;
    }

    /** Whether an entrant named a winner. */
    boolean hasNamedWinner() {
        return !lost.isEmpty();
    }

    /** When a named winner must have offered its relay. */
    long offerDueNanos(DeliveryPolicy policy) {
        return lostAtNanos + policy.patience().stallNanos();
    }

    /** Whether the block cannot arrive as it is issued. */
    boolean isHopeless(LiveRacers roster) {
        if (relay != null) {
            return false;
        }
        if (isCutThrough()) {
            return block.entrants().stream()
                    .map(Entrant::racer)
                    .allMatch(racer -> stopped.contains(racer) || lost.containsKey(racer) || !roster.isLive(racer));
        }
        return lost.values().stream().anyMatch(winner -> !roster.isLive(winner))
                || block.entrants().stream()
                        .map(Entrant::racer)
                        .allMatch(racer -> piece.chunk.hasForfeited(racer) || !roster.isLive(racer));
    }

    /**
     * Whose move it is while no relay was offered: the winners named by others; before there is one, the entrants
     * still racing.
     */
    List<RacerId> awaited(LiveRacers roster) {
        List<RacerId> awaited = new ArrayList<>(block.entrants().size());
        for (Entrant entrant : block.entrants()) {
            RacerId racer = entrant.racer();
            boolean mayStill = roster.isLive(racer) && !piece.chunk.hasForfeited(racer) && isIn(racer);
            if (mayStill && (lost.isEmpty() || lost.containsValue(racer))) {
                awaited.add(racer);
            }
        }
        return awaited;
    }

    /**
     * When entrants still racing must have given a sign of life. Of who spoke before, silence is soon telling: a helper
     * that is to start a block says at once that it did, or that it waits, or how another comes on. Who was never heard
     * may still be connecting.
     *
     * @param sinceNanos silence before this does not count
     */
    long signDueNanos(LiveRacers roster, long sinceNanos, DeliveryPolicy policy) {
        long heard = sinceNanos - issuedAtNanos < 0 ? issuedAtNanos : sinceNanos;
        boolean allSpoke = isCutThrough();
        for (RacerId racer : awaited(roster)) {
            allSpoke &= roster.hasSpoken(racer);
            heard = roster.heardAt(racer, heard);
        }
        return heard
                + (allSpoke ? policy.patience().stallNanos() : policy.patience().unofferedNanos());
    }
}

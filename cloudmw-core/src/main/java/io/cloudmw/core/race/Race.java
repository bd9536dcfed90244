package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The racer's state machine: it decides for the racers of one process which attempts run, which racer has won a block
 * and what the rivals and the destination are told. A helper runs one for each transfer; a client that reads stores by
 * itself runs one in which every racer is local.
 *
 * <p><b>Algorithm</b> ([1] CloudMW §4.1, the cooperative competition protocol), by numbered rules:
 * <ol>
 *   <li>Each racer starts a block with its entrant's replica, one attempt at a time, in the order of the file.
 *   <li>A racer that holds a whole verified block <em>claims</em> it: it sends a completion notice to every rival.
 *   <li>A racer that hears a claim for a block it has not finished cancels its attempt, <em>yields</em>, tells the
 *       destination the winner, and starts its next block at once.
 *   <li>A claimant wins when every rival has yielded, forfeited, gone, or claimed from a worse place.
 *   <li>If two racers hold the block, the static rule on (round, rank) decides; see {@link TieBreak}. The worse one
 *       discards its bytes and yields.
 *   <li>A claimant goes on with its next block without waiting for answers. The winner relays while that attempt runs.
 * </ol>
 *
 * <p><b>Differs: cut-through blocks.</b>
 * <ol start="7">
 *   <li>A block with one entrant ({@link BlockRule#SOLE}) is relayed from the start of its attempt. When the attempt
 *       fails, the racer forfeits at once: the destination has the first leaves and chooses the racer for the rest.
 *   <li>A tied block ({@link BlockRule#TIED}) belongs to the racer that starts it. That racer tells the rivals, which
 *       drop the block from their queues ([2] J. Dean, L. A. Barroso, The Tail at Scale, 2013).
 *   <li>A racer starts its second copy of a tied block only when it is idle and the first copy's racer leaves the block
 *       to it. [2] lets both racers start when both are idle.
 *   <li>If two racers have started a tied block nevertheless, because a claim was left unanswered for too long, the
 *       static rule keeps one attempt and cancels the other.
 * </ol>
 *
 * <p><b>Differs: failures.</b> The paper has none.
 * <ol start="11">
 *   <li>A failed attempt is followed by one at the block's next replica, (replica + 1) mod k. Each replica is tried
 *       once, or twice where the failure allows a retry at the same replica. After the last one the racer forfeits.
 *   <li>A rival that leaves a claim unanswered for {@link RacePolicy#yieldTimeoutNanos()} counts as having yielded, and
 *       is not waited for again until it is heard. If two racers then win, the destination refuses one relay.
 *   <li>A racer that holds {@link RacePolicy#maxHeldBlocks()} undelivered blocks pauses, except for a block that comes
 *       before all of them in the file.
 *   <li>There is no barrier between rounds: a racer that lost starts the next block while others finish theirs.
 *   <li>When a winner dies nothing is repaired here: the destination issues the missing range as a new block.
 * </ol>
 *
 * <p>Confined to one thread at a time; no I/O, no clock. Memory is bounded: at most {@value #MAX_BLOCKS} open blocks
 * (more are forfeited at once), and claims for at most {@value #MAX_EARLY} blocks that a rival was issued before this
 * racer. A claim for a block that is not open here is answered with a yield at once. Events about blocks, attempts or
 * rivals that are over or unknown are ignored, and so are repeated ones.
 */
public final class Race {
    /** Blocks a destination may have open at one racer; more are forfeited at once. */
    static final int MAX_BLOCKS = 256;

    /** Blocks not yet issued here whose claims are remembered; the lowest ones are kept. */
    static final int MAX_EARLY = 64;

    private final RacePolicy policy;
    private final TieBreak tieBreak;
    private final RaceActions actions;
    private final Set<RacerId> local;
    private final Map<BlockId, BlockRace> races = new TreeMap<>();
    private final Map<RacerId, RaceEntry> racing = new HashMap<>();
    private final TreeMap<BlockId, Set<RacerId>> early = new TreeMap<>();
    private final Set<RacerId> gone = new HashSet<>();
    /** Rivals that left a claim unanswered and were not heard since: no claim waits for them. */
    private final Set<RacerId> silent = new HashSet<>();
    /** Actions that the event being taken has ordered. */
    private final List<Consumer<RaceActions>> ordered = new ArrayList<>();

    private @Nullable BlockId latest;
    private long nowNanos;
    private boolean closed;

    /**
     * @param local the racers this instance decides for: a helper's lanes, or every racer when a client races
     *     in-process. Claims between local racers are settled inside and order no action
     */
    public Race(RacePolicy policy, Set<RacerId> local, RaceActions actions) {
        this(policy, local, actions, TieBreak.BY_ROUND_AND_RANK);
    }

    /** For tests that break the rule on purpose. */
    public Race(RacePolicy policy, Set<RacerId> local, RaceActions actions, TieBreak tieBreak) {
        this.policy = policy;
        this.local = new TreeSet<>(local);
        this.actions = actions;
        this.tieBreak = tieBreak;
    }

    /** The time when {@link #timePassed} should next be called, on the same clock; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        return races.values().stream()
                .flatMap(race -> race.claiming().stream())
                .mapToLong(entry -> entry.claimedAtNanos() + policy.yieldTimeoutNanos())
                .reduce((one, other) -> one - other < 0 ? one : other);
    }

    /** The number of blocks with state in this instance. */
    public int remembered() {
        return races.size() + early.size();
    }

    /** Orders no further action, not even those an event in progress has ordered. Idempotent. */
    public void close() {
        closed = true;
    }

    // ---- events from the destination

    /** The destination wants this block. Blocks are issued to a racer in the order of their ids. */
    public void issued(Block block, long nowNanos) {
        begin(nowNanos);
        open(block);
        end();
    }

    private void open(Block block) {
        if (!isAhead(block.id())) {
            return;
        }
        latest = block.id();
        Set<RacerId> claimants = early.getOrDefault(block.id(), Set.of());
        early.headMap(block.id(), true).clear();
        BlockRace race = new BlockRace(block, local);
        if (race.entries().isEmpty()) {
            return;
        }
        if (races.size() >= MAX_BLOCKS) {
            race.entries().forEach(entry -> reportForfeited(entry, ErrorCode.OVERLOADED));
            return;
        }
        races.put(block.id(), race);
        for (RacerId claimant : claimants) {
            if (race.noteClaim(claimant)) {
                race.entries().forEach(entry -> concede(entry, claimant));
            }
        }
    }

    /** The destination no longer wants this block. */
    public void withdrawn(BlockId block, long nowNanos) {
        begin(nowNanos);
        drop(block);
        end();
    }

    /** The destination has this block, whole and verified. */
    public void delivered(BlockId block, long nowNanos) {
        withdrawn(block, nowNanos);
    }

    private void drop(BlockId block) {
        early.remove(block);
        BlockRace race = races.remove(block);
        if (race != null) {
            for (RaceEntry entry : race.entries()) {
                racing.remove(entry.racer(), entry);
                order(entry.drop());
            }
        }
    }

    /** The destination wants only the first {@code length} bytes of this block. */
    public void shortened(BlockId block, long length, long nowNanos) {
        begin(nowNanos);
        BlockRace race = races.get(block);
        if (race != null) {
            race.shorten(length);
            race.entries().stream().filter(RaceEntry::isRacing).forEach(entry -> orderShorten(entry, length));
        }
        end();
    }

    // ---- events from the local racers' attempts

    /** The attempt holds the whole block, verified. */
    public void finished(AttemptId attempt, long nowNanos) {
        begin(nowNanos);
        BlockRace race = races.get(attempt.block());
        RaceEntry entry = racingEntry(attempt);
        if (race != null && entry != null) {
            finish(race, entry);
        }
        end();
    }

    private void finish(BlockRace race, RaceEntry entry) {
        racing.remove(entry.racer());
        if (race.block().isCutThrough()) {
            entry.win();
            return;
        }
        entry.hold(nowNanos);
        tellRivals(race, RivalNotice.CLAIM, entry.racer());
        for (RaceEntry other : race.entries()) {
            if (other != entry) {
                concede(other, entry.racer());
            }
        }
    }

    /** The attempt failed. */
    public void failed(AttemptId attempt, ErrorCode code, long nowNanos) {
        begin(nowNanos);
        BlockRace race = races.get(attempt.block());
        RaceEntry entry = racingEntry(attempt);
        if (race != null && entry != null) {
            racing.remove(entry.racer());
            entry.fail(code);
            if (entry.isForfeited()) {
                tellRivals(race, RivalNotice.FORFEIT, entry.racer());
                reportForfeited(entry, code);
            }
        }
        end();
    }

    /**
     * The attempt has stopped. An attempt that was told to stop is not racing any more, so nothing follows; one that
     * stopped by itself has failed.
     */
    public void cancelled(AttemptId attempt, long nowNanos) {
        failed(attempt, ErrorCode.CANCELLED, nowNanos);
    }

    // ---- events from rivals

    /** A rival has sent a notice about a block. */
    public void rivalSaid(RacerId rival, RivalNotice notice, BlockId block, long nowNanos) {
        begin(nowNanos);
        silent.remove(rival);
        if (!gone.contains(rival) && !local.contains(rival)) {
            BlockRace race = races.get(block);
            switch (notice) {
                case CLAIM -> claimed(rival, block, race);
                case STARTED -> started(rival, block, race);
                case YIELD, FORFEIT -> {
                    if (race != null) {
                        race.noteOut(rival);
                    }
                }
            }
        }
        end();
    }

    private void claimed(RacerId rival, BlockId block, @Nullable BlockRace race) {
        if (race == null) {
            // Over here, or not issued yet: either way no attempt at it is or will be under way.
            local.forEach(self -> tell(rival, RivalNotice.YIELD, block, self));
            rememberIfAhead(rival, block);
        } else if (race.block().rule() == BlockRule.TIED) {
            askedForTied(race, rival);
        } else if (race.noteClaim(rival)) {
            race.entries().forEach(entry -> answer(entry, rival));
        }
    }

    /**
     * Leaves an unstarted tied block to an idle rival. A racer that has started it has said so, and does not answer.
     */
    private void askedForTied(BlockRace race, RacerId rival) {
        if (race.rivals().contains(rival) && !race.isBegun()) {
            for (RaceEntry entry : race.entries()) {
                concede(entry, rival);
                tell(rival, RivalNotice.YIELD, race.block().id(), entry.racer());
            }
        }
    }

    /** Answers a new claim. A winner does not: the destination decides between it and a late claimant. */
    private void answer(RaceEntry entry, RacerId rival) {
        if (entry.holds() && (entry.hasWon() || !tieBreak.beats(entry.block(), rival, entry.racer()))) {
            return;
        }
        boolean news = leave(entry, rival);
        tell(rival, RivalNotice.YIELD, entry.block().id(), entry.racer());
        if (news) {
            reportLost(entry, rival);
        }
    }

    /** A racer that has not started a tied block leaves it to the rival; of two that have, the worse one does. */
    private void started(RacerId rival, BlockId block, @Nullable BlockRace race) {
        if (race == null) {
            rememberIfAhead(rival, block);
        } else if (race.block().rule() == BlockRule.TIED && race.noteClaim(rival)) {
            for (RaceEntry entry : race.entries()) {
                boolean isWorse = entry.isRacing() && tieBreak.beats(race.block(), rival, entry.racer());
                if (!entry.isBegun() || isWorse) {
                    concede(entry, rival);
                }
            }
        }
    }

    private void rememberIfAhead(RacerId rival, BlockId block) {
        if (isAhead(block)) {
            early.computeIfAbsent(block, unused -> new LinkedHashSet<>()).add(rival);
            if (early.size() > MAX_EARLY) {
                early.pollLastEntry();
            }
        }
    }

    /** A rival can no longer be heard: it counts as having yielded everything, for good. */
    public void rivalGone(RacerId rival, long nowNanos) {
        begin(nowNanos);
        if (!local.contains(rival)) {
            gone.add(rival);
            silent.remove(rival);
        }
        end();
    }

    /** Time has passed and nothing else has happened. */
    public void timePassed(long nowNanos) {
        begin(nowNanos);
        for (BlockRace race : races.values()) {
            race.claiming()
                    .filter(entry -> nowNanos - entry.claimedAtNanos() >= policy.yieldTimeoutNanos())
                    .ifPresent(entry -> silent.addAll(awaited(race, entry)));
        }
        end();
    }

    // ---- after any event

    private void begin(long now) {
        nowNanos = now;
        ordered.clear();
    }

    private void end() {
        settleClaims();
        local.forEach(this::startNext);
        if (ordered.isEmpty()) {
            return;
        }
        List<Consumer<RaceActions>> due = List.copyOf(ordered);
        ordered.clear();
        for (Consumer<RaceActions> action : due) {
            if (closed) {
                return;
            }
            action.accept(actions);
        }
    }

    /** A claimant that waits for no answer any more wins; a tied block is the claimant's to start. */
    private void settleClaims() {
        for (BlockRace race : races.values()) {
            race.claiming().filter(entry -> awaited(race, entry).isEmpty()).ifPresent(entry -> {
                entry.settle();
                if (entry.hasWon()) {
                    orderDeliver(entry);
                }
            });
        }
    }

    private List<RacerId> awaited(BlockRace race, RaceEntry claimant) {
        return race.unanswered(claimant.racer(), tieBreak).stream()
                .filter(rival -> !gone.contains(rival) && !silent.contains(rival))
                .toList();
    }

    /** Starts the racer's next attempt in the order of the file; second copies come after everything else. */
    private void startNext(RacerId racer) {
        if (racing.containsKey(racer)) {
            return;
        }
        RaceEntry own = null;
        RaceEntry second = null;
        RaceEntry firstHeld = null;
        int held = 0;
        boolean asks = false;
        for (BlockRace race : races.values()) {
            for (RaceEntry entry : race.entries()) {
                if (!entry.racer().equals(racer)) {
                    continue;
                }
                if (entry.isWaiting() && mustAsk(race, entry)) {
                    second = earlier(second, entry);
                } else if (entry.isWaiting()) {
                    own = earlier(own, entry);
                } else if (entry.holds()) {
                    firstHeld = earlier(firstHeld, entry);
                    held++;
                }
                asks |= entry.isAsking();
            }
        }
        if (held >= policy.maxHeldBlocks()) {
            own = before(own, firstHeld);
            second = before(second, firstHeld);
        }
        if (own != null) {
            start(own);
        } else if (second != null && !asks) {
            ask(second);
        }
    }

    /** Returns whether the entry is a second copy of a tied block whose first copy may still be started. */
    private boolean mustAsk(BlockRace race, RaceEntry entry) {
        return entry.isSecondCopy() && !awaited(race, entry).isEmpty();
    }

    private void ask(RaceEntry entry) {
        entry.ask(nowNanos);
        BlockRace race = races.get(entry.block().id());
        if (race != null) {
            awaited(race, entry)
                    .forEach(
                            rival -> tell(rival, RivalNotice.CLAIM, race.block().id(), entry.racer()));
        }
    }

    private void start(RaceEntry entry) {
        racing.put(entry.racer(), entry);
        entry.start();
        Block block = entry.block();
        AttemptId attempt = entry.attempt();
        int replica = entry.replica();
        ordered.add(to -> to.start(attempt, block, replica));
        BlockRace race = races.get(block.id());
        if (race != null && block.rule() == BlockRule.TIED) {
            tellRivals(race, RivalNotice.STARTED, entry.racer());
        }
        if (race != null && race.isShortened()) {
            orderShorten(entry, race.wantedLength());
        }
        if (block.isCutThrough()) {
            orderDeliver(entry);
        }
    }

    private static @Nullable RaceEntry before(@Nullable RaceEntry entry, @Nullable RaceEntry held) {
        return entry == null || held == null || entry.block().isBefore(held.block()) ? entry : null;
    }

    private static RaceEntry earlier(@Nullable RaceEntry one, RaceEntry other) {
        return one == null || other.block().isBefore(one.block()) ? other : one;
    }

    private @Nullable RaceEntry racingEntry(AttemptId attempt) {
        RaceEntry entry = racing.get(attempt.racer());
        return entry != null && entry.isRacing(attempt) ? entry : null;
    }

    private boolean isAhead(BlockId block) {
        return latest == null || block.compareTo(latest) > 0;
    }

    /** Leaves the block to a racer that needs no answer. */
    private void concede(RaceEntry entry, RacerId winner) {
        if (leave(entry, winner)) {
            reportLost(entry, winner);
        }
    }

    /**
     * Ends the entry in {@code winner}'s favour; false when it forfeited, or left the block to a better racer before.
     */
    private boolean leave(RaceEntry entry, RacerId winner) {
        RacerId known = entry.winner();
        boolean isBetter = known == null || tieBreak.beats(entry.block(), winner, known);
        if (entry.isForfeited() || !isBetter) {
            return false;
        }
        racing.remove(entry.racer(), entry);
        order(entry.lose(winner));
        return true;
    }

    // ---- orders

    private void order(@Nullable Consumer<RaceActions> action) {
        if (action != null) {
            ordered.add(action);
        }
    }

    private void orderShorten(RaceEntry entry, long length) {
        AttemptId attempt = entry.attempt();
        ordered.add(to -> to.shorten(attempt, length));
    }

    private void orderDeliver(RaceEntry entry) {
        AttemptId attempt = entry.attempt();
        ordered.add(to -> to.deliver(attempt));
    }

    private void tellRivals(BlockRace race, RivalNotice notice, RacerId self) {
        for (RacerId rival : race.rivals()) {
            if (!gone.contains(rival)) {
                tell(rival, notice, race.block().id(), self);
            }
        }
    }

    private void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self) {
        ordered.add(to -> to.tell(rival, notice, block, self));
    }

    private void reportLost(RaceEntry entry, RacerId winner) {
        BlockId block = entry.block().id();
        ordered.add(to -> to.reportLost(block, entry.racer(), winner));
    }

    private void reportForfeited(RaceEntry entry, ErrorCode code) {
        BlockId block = entry.block().id();
        ordered.add(to -> to.reportForfeited(block, entry.racer(), code));
    }
}

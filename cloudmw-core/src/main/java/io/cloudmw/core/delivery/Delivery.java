package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The destination's state machine: it decides which racer reads which block, which relay is accepted, and what is done
 * about racers that are slow or gone. The destination decides the mode ({@link ModePolicy}) because it alone hears
 * about every attempt. It is the last arbiter: a block is delivered once even where the racers disagree about its
 * winner.
 *
 * <p>Two paths exist. In a <b>race</b> ([1] CloudMW §4.1) a block is a whole chunk, issued to k entrants; the winner
 * relays it while the next races run. <b>Differs:</b> a <b>single attempt</b> (modes with one entrant for each block)
 * relays leaf by leaf while it fetches.
 *
 * <table>
 *   <caption>States of a block</caption>
 *   <tr><th>State</th><th>Entered when</th><th>Left when</th></tr>
 *   <tr><td>issued</td><td>{@link Dispatcher} issues it</td>
 *       <td>a report: fetching; a relay: offered; silence: late or given up (rules 12, 16, 24)</td></tr>
 *   <tr><td>waiting for room</td><td>{@link #waits}</td><td>a report: fetching; too long: moved (rule 19)</td></tr>
 *   <tr><td>fetching</td><td>{@link #attempted}, or the relay of a single attempt is offered</td>
 *       <td>all bytes: fetched; too slow: late (rules 13 to 15); no sign of life: given up (rule 22)</td></tr>
 *   <tr><td>fetched</td><td>{@link #attempted}</td><td>its relay is offered; nothing is: given up (rule 23)</td></tr>
 *   <tr><td>offered</td><td>{@link #offered}</td><td>its turn: accepted; another block was sooner: refused</td></tr>
 *   <tr><td>accepted</td><td>rule 4</td><td>last leaf: acknowledged; it breaks or stalls: retried (rule 20)</td></tr>
 *   <tr><td>over</td><td>acknowledged, withdrawn or lost</td><td>never; what is missing becomes a new block</td></tr>
 * </table>
 *
 * <p><b>Issuing and relays</b>
 * <ol>
 *   <li>A window of ranges is open, counted from the lowest one not delivered ({@link ModePolicy.Blocks}).
 *   <li>A block has one relay at a time: the first that one of its entrants offers. Any other is refused.
 *   <li>A relay of a file is accepted at once.
 *   <li>A relay of a stream is accepted when every earlier byte was delivered. Until then it is prepared: it gets only
 *       the credit that the relays before it leave.
 *   <li>When the last leaf has arrived the block is acknowledged, so that no racer keeps it.
 *   <li>A leaf is delivered once: what is issued again begins after the leaves delivered.
 * </ol>
 *
 * <p><b>Single attempts</b>
 * <ol start="7">
 *   <li>Each free lane is issued the next range by the route with the fewest failures, then the shortest expected time.
 *   <li>A block that has to wait in its lane may be tied: issued to a lane of another helper too. The first to start
 *       has it.
 *   <li>The lowest range is issued even when no lane is free.
 *   <li>When nothing is left to issue, an idle lane takes over an unstarted block, or splits off the end of one under
 *       way, or tries one a second time, if that ends it clearly sooner.
 *   <li>One block in a hundred is read from the slowest store, to notice when that has recovered. The last block of all
 *       is read there besides.
 * </ol>
 *
 * <p><b>Late attempts</b> (modes that hedge). A late attempt gets a second one at another store for what is missing.
 * <ol start="12">
 *   <li>The {@link RedundancyBudget} must allow every attempt that may fetch bytes twice.
 *   <li>An attempt is late when its first byte takes longer than 95 of 100 usually do at its store.
 *   <li>It is late when its next leaf takes that long, or its throughput falls behind what 95 of 100 usually reach.
 *   <li>It is not late while the destination withholds credit, nor when the destination's other relays are as slow.
 *       When two blocks of a range have shown a leaf, the one that will end sooner goes on.
 *   <li>A block of which its helper reports nothing is late when its turn came as long ago as a first byte and its
 *       report may take: at least 200 ms, at most the mode's cap. Its store is not blamed, and another helper makes up
 *       for it.
 *   <li>A helper that was silent meanwhile is issued nothing more until it is heard, or for the length of that cap.
 *   <li>Blocks that wait there behind others are taken back and issued to any racer.
 *   <li>A block that waits for room at its helper is not late. After as long as a first byte may take it moves, once,
 *       to an idle lane of another helper.
 * </ol>
 *
 * <p><b>Failures</b> (the paper has none). A block that cannot arrive as issued is withdrawn, and the missing leaves
 * are issued as a new block.
 * <ol start="20">
 *   <li>A racer whose relay breaks or brings a corrupt leaf is avoided for the rest of the chunk.
 *   <li>An accepted relay that has credit and holds its block, and delivers nothing for
 *       {@link DeliveryPolicy.Patience#stallNanos()}, has its helper abandoned.
 *   <li>A helper that fetches and gives no sign of life for that long is abandoned.
 *   <li>A named winner that offers nothing for that long is avoided; its helper is abandoned if it was silent.
 *   <li>The lowest block, offered by no racer, is given up when its entrants give no sign of life for
 *       {@link DeliveryPolicy.Patience#unofferedNanos()}, or {@code stallNanos} for a single attempt whose helper was
 *       heard before. Silent helpers are abandoned. Only the lowest, because racers may pause for any other.
 *   <li>A block whose winner is gone, or whose entrants have all forfeited, is retried.
 *   <li>A racer that forfeited a chunk is not asked for it again. A route (helper and replica) of single attempts is
 *       spent after two failures, or one for good.
 *   <li>When no helper is left for a chunk, the client's own racers are asked for, once, and read it.
 *   <li>When those are spent too, racers that were only avoided are tried again.
 *   <li>When no racer is left, or a range was issued {@link DeliveryPolicy.Patience#maxReissues()} times without a
 *       leaf, replicas planned as bad are read as a last resort.
 *   <li>When they bring nothing either, the transfer fails with the chunk's last failure.
 * </ol>
 *
 * <p>Confined to one thread at a time; no I/O, no clock. Events about what is over or unknown are ignored; after
 * {@link DeliveryActions#complete} or {@link DeliveryActions#fail} every event is. The number of open blocks is bounded
 * by
 * {@link ModePolicy.Blocks}.
 */
public final class Delivery {
    private final DeliveryState state;
    private final DeliveryActions actions;
    private final Dispatcher dispatcher;
    private final LatenessDetector lateness;
    private final AttemptReports reports;
    private final BlockTimeouts timeouts;
    private boolean closed;

    /**
     * @param lanes the racers of the transfer's helpers, as {@link ModePolicy#lanes} gives them
     * @param reachable helpers that can be reached, each by any of its racers; may be empty
     * @param speeds the usual speeds of the stores
     * @param budget this client's, shared by its transfers
     * @param owners the helpers that own blocks: any other is asked only when they are gone or have failed by every
     *     route. Races ignore it
     */
    public Delivery(
            DeliveryPolicy policy,
            LaneLayout lanes,
            Set<RacerId> reachable,
            SpeedEstimates speeds,
            RedundancyBudget budget,
            BlockOwners owners,
            DeliveryActions actions) {
        this.state = new DeliveryState(
                policy,
                new LiveRacers(
                        policy.mode(), lanes, reachable, owners, policy.direct().lanes()),
                speeds,
                budget);
        this.actions = actions;
        this.dispatcher = new Dispatcher(state);
        this.lateness = new LatenessDetector(state);
        this.reports = new AttemptReports(state, lateness);
        this.timeouts = new BlockTimeouts(state, dispatcher, lateness, reports);
    }

    /** Returns whether the next chunk should be planned now (back-pressure for the reader of the manifest). */
    public boolean wantsPlan() {
        return !state.isOver() && state.window().wantsPlan();
    }

    /** The time when {@link #timePassed} should next be called, on the same clock; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        return state.isOver() ? OptionalLong.empty() : timeouts.wakeAtNanos();
    }

    /** The counts of blocks issued besides the plan so far. */
    public IssueCounts counts() {
        return state.counts();
    }

    /** The use of the client's own racers now. */
    public DirectUse directUse() {
        return state.directUse();
    }

    /** The number of chunks and ranges with state in this instance. */
    public int remembered() {
        return state.window().remembered();
    }

    /**
     * Ends the delivery, whether all of it came or not. The budget gets back what extras under way were allowed to
     * fetch and have not. No further action is ordered, not even those an event in progress has ordered. Idempotent.
     */
    public void close() {
        closed = true;
        state.close();
    }

    // ---- the plan

    /**
     * The next chunk was planned.
     *
     * @throws IllegalStateException when {@link #wantsPlan()} is false
     * @throws IllegalArgumentException when chunks of a stream are not planned in the order of their index
     */
    public void planned(ChunkPlan chunk, long nowNanos) {
        on(nowNanos, () -> state.window().plan(chunk));
    }

    /** No chunk follows the ones planned. */
    public void planEnded(long nowNanos) {
        on(nowNanos, () -> state.window().end());
    }

    // ---- relays

    /**
     * A racer offers to relay a block: one it won, or one that is cut through.
     *
     * @param relay the caller's number for the relay
     */
    public void offered(long relay, BlockId block, RacerId racer, long nowNanos) {
        on(nowNanos, () -> offer(relay, block, racer));
    }

    private void offer(long number, BlockId id, RacerId racer) {
        if (state.relay(number) != null) {
            return;
        }
        state.racers().heard(racer);
        BlockProgress block = state.block(id);
        if (block == null || block.relay() != null || !state.racers().isLive(racer) || !block.isEntrant(racer)) {
            state.refuse(number);
            return;
        }
        state.offered(number, racer, block);
        if (block.isCutThrough()) {
            reports.runs(block, racer);
            reports.progressed(block, block.range().nextLeafBytes());
            for (BlockProgress other : List.copyOf(block.range().blocks())) {
                if (other != block && state.isUnderWay(block)) {
                    keepTheSooner(block, other);
                }
            }
        }
    }

    /** Two blocks of a range, one of which has just shown a leaf: the one that will end sooner goes on. */
    private void keepTheSooner(BlockProgress offered, BlockProgress other) {
        boolean otherIsSooner = other.relay() != null
                && other.attempt().movedAtNanos() - offered.issuedAtNanos() >= 0
                && WorkStealing.expectedLeftNanos(other, state) <= WorkStealing.expectedLeftNanos(offered, state);
        BlockProgress loser = otherIsSooner ? offered : other;
        lateness.cut(loser);
        state.lose(loser, otherIsSooner ? other : offered);
    }

    /** The next leaf of a relay was verified and handed on. */
    public void leafDelivered(long relay, long nowNanos) {
        on(nowNanos, () -> {
            OfferedRelay accepted = state.relay(relay);
            if (accepted != null && accepted.isAccepted()) {
                deliver(accepted);
            }
        });
    }

    private void deliver(OfferedRelay relay) {
        relay.moved(state.now());
        state.racers().heard(relay.racer());
        state.leafDelivered(relay);
        BlockProgress block = relay.block();
        WantedRange range = block.range();
        if (block.isCutThrough()) {
            reports.progressed(
                    block, range.missing().offset() - block.block().range().offset());
        }
        if (range.missing().isEmpty()) {
            for (BlockProgress other : range.blocks()) {
                if (other != block) {
                    lateness.cut(other);
                }
            }
            state.acknowledge(block);
        }
    }

    /**
     * The destination has no room for more of this relay and grants no credit until {@link #creditGranted}: the
     * consumer of the bytes is slow, so the relay cannot stall meanwhile.
     */
    public void creditWithheld(long relay, long nowNanos) {
        on(nowNanos, () -> {
            OfferedRelay offered = state.relay(relay);
            if (offered != null) {
                offered.withhold();
            }
        });
    }

    /** The destination has room for this relay again. */
    public void creditGranted(long relay, long nowNanos) {
        on(nowNanos, () -> {
            OfferedRelay offered = state.relay(relay);
            if (offered != null) {
                offered.grant(nowNanos);
                offered.block().attempt().moved(nowNanos);
            }
        });
    }

    /** A relay, accepted or not, broke, or ended before its last leaf. */
    public void relayFailed(long relay, ErrorCode code, long nowNanos) {
        on(nowNanos, () -> {
            OfferedRelay offered = state.relay(relay);
            if (offered != null) {
                notBrought(offered, code);
                state.relayEnded(offered);
                state.retry(offered.block());
            }
        });
    }

    /** A leaf of a relay did not match its SHA-256; nothing of that leaf was handed on. */
    public void leafCorrupt(long relay, long nowNanos) {
        on(nowNanos, () -> {
            OfferedRelay offered = state.relay(relay);
            if (offered != null) {
                notBrought(offered, ErrorCode.REPLICA_CORRUPT);
                state.retry(offered.block());
            }
        });
    }

    /** No replica was read for a kept block, so none is avoided. */
    private void notBrought(OfferedRelay relay, ErrorCode code) {
        if (!relay.block().attempt().isKept()) {
            state.failed(relay.block(), relay.racer(), code);
        }
    }

    private void acceptRelays() {
        if (state.isOver()) {
            return;
        }
        if (state.policy().inOrder()) {
            acceptInOrder();
            return;
        }
        for (OfferedRelay relay : state.relays()) {
            if (!relay.isAccepted()) {
                state.accept(relay);
            }
        }
    }

    /** Accepts the relays of the lowest range, and prepares those of the ranges that follow without a gap. */
    private void acceptInOrder() {
        for (WantedRange range : state.window().open()) {
            boolean isOffered = false;
            for (BlockProgress block : range.blocks()) {
                OfferedRelay relay = block.relay();
                isOffered |= relay != null;
                if (relay != null && !relay.isAccepted() && state.window().isLowest(range)) {
                    state.accept(relay);
                } else if (relay != null && relay.isOffered()) {
                    state.prepare(relay);
                }
            }
            if (!isOffered) {
                return;
            }
        }
    }

    // ---- racers

    /**
     * A racer reports how far its attempt at a block has come.
     *
     * @param bytes fetched so far
     */
    public void attempted(BlockId block, RacerId racer, AttemptStage stage, long bytes, long nowNanos) {
        on(nowNanos, () -> {
            state.racers().heard(racer);
            BlockProgress progress = state.block(block);
            if (progress == null) {
                state.attemptedAfterTheEnd(block, stage, bytes);
            } else if (progress.isCutThrough() && progress.isEntrant(racer)) {
                reports.attempted(progress, racer, stage, bytes);
            }
        });
    }

    /**
     * A racer's attempt waits for room at its helper: to be started, for a thread or the spool, or to be relayed, for a
     * stream to the destination. The helper repeats this report as its sign of life.
     */
    public void waits(BlockId block, RacerId racer, long nowNanos) {
        on(nowNanos, () -> {
            state.racers().heard(racer);
            BlockProgress progress = state.block(block);
            if (progress != null) {
                progress.waits(racer, nowNanos);
            }
        });
    }

    /**
     * The destination has not yet sent an issued block to its helper, or sends it now. Until then no racer is late
     * with it.
     */
    public void postponed(BlockId block, boolean postponed, long nowNanos) {
        on(nowNanos, () -> {
            BlockProgress progress = state.block(block);
            if (progress != null) {
                progress.postponed(postponed, nowNanos);
            }
        });
    }

    /** A racer reports that {@code winner} won the block. */
    public void lost(BlockId block, RacerId racer, RacerId winner, long nowNanos) {
        on(nowNanos, () -> {
            state.racers().heard(racer);
            BlockProgress progress = state.block(block);
            boolean isKnown = progress != null && progress.isEntrant(racer) && progress.isEntrant(winner);
            if (progress == null || !isKnown || racer.equals(winner)) {
                return;
            }
            progress.lost(racer, winner, nowNanos);
            if (progress.isCutThrough()) {
                leftTo(progress, racer, winner);
            } else {
                state.retryIfHopeless(progress);
            }
        });
    }

    /** Two entrants of a tied block started at the same time, and one has left it to the other. */
    private void leftTo(BlockProgress block, RacerId racer, RacerId winner) {
        state.racers().unqueued(block, racer);
        if (isRelayedBy(block, racer)) {
            state.retry(block); // it had offered first, so the other's relay was refused
            return;
        }
        if (racer.equals(block.attempt().runner()) && state.racers().isLive(winner)) {
            reports.goesOn(block, winner);
        }
        state.retryIfHopeless(block);
    }

    private static boolean isRelayedBy(BlockProgress block, RacerId racer) {
        OfferedRelay relay = block.relay();
        return relay != null && relay.racer().equals(racer);
    }

    /** A racer has run out of replicas for the block. */
    public void forfeited(BlockId block, RacerId racer, ErrorCode code, long nowNanos) {
        on(nowNanos, () -> {
            state.racers().heard(racer);
            BlockProgress progress = state.block(block);
            if (progress == null || !progress.isEntrant(racer)) {
                return;
            }
            if (progress.isCutThrough()) {
                stopped(progress, racer, code);
            } else {
                progress.chunk().forfeit(racer, code);
                state.retryIfHopeless(progress);
            }
        });
    }

    private void stopped(BlockProgress block, RacerId racer, ErrorCode code) {
        state.failed(block, racer, code);
        block.stopped(racer, state.now());
        state.racers().unqueued(block, racer);
        if (isRelayedBy(block, racer)) {
            state.retry(block);
            return;
        }
        if (racer.equals(block.attempt().runner())) {
            reports.runnerLeft(block);
        }
        state.retryIfHopeless(block);
    }

    /** A racer can no longer be reached, nor can its helper's others. */
    public void racerGone(RacerId racer, long nowNanos) {
        on(nowNanos, () -> timeouts.gone(racer));
    }

    /**
     * The only process that reaches these stores is gone or silent, or the plan says that nobody can use them. Blocks
     * being read from them are retried at other stores where there are any. From now on these stores are read last, and
     * no second attempt reads them. Racers in a race choose by themselves.
     */
    public void storesAway(Set<StoreId> stores, long nowNanos) {
        on(nowNanos, () -> {
            state.storesAway(stores);
            for (BlockProgress block : List.copyOf(state.blocks())) {
                boolean isRead = block.isCutThrough() && !block.attempt().isFetched() && state.isAway(block.store());
                if (isRead && state.isReadableElsewhere(block.chunk())) {
                    state.retry(block);
                }
            }
        });
    }

    /**
     * The client's own racers, asked for by {@link DeliveryActions#raceDirectly}, are ready.
     *
     * @param racers ranks that no helper has; empty: the client can reach no replica by itself
     * @param unreadable the stores that the client's own racers are not asked to read
     */
    public void localRacersReady(Collection<RacerId> racers, Set<StoreId> unreadable, long nowNanos) {
        on(nowNanos, () -> state.localReady(racers, unreadable));
    }

    /**
     * The destination's process did not run for a while (stopped, suspended, collecting garbage). Messages sent
     * meanwhile may still wait to be read, so no racer was silent.
     */
    public void resumed(long nowNanos) {
        on(nowNanos, () -> {
            state.racers().resumed();
            state.blocks().forEach(block -> block.resumed(nowNanos));
        });
    }

    /** Time has passed and nothing else has happened. */
    public void timePassed(long nowNanos) {
        on(nowNanos, timeouts::timePassed);
    }

    /** Takes an event, decides what follows from it and has the ordered actions done. */
    private void on(long nowNanos, Runnable event) {
        state.begin(nowNanos);
        if (!state.isOver()) {
            event.run();
            if (!state.isOver()) {
                dispatcher.dispatch();
            }
            acceptRelays();
            if (!state.isOver() && state.window().isDone()) {
                state.complete();
            }
        }
        for (Consumer<DeliveryActions> action : state.takeOrders()) {
            if (closed) {
                return;
            }
            action.accept(actions);
        }
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.DirectComparison;
import io.cloudmw.core.hedge.IssueCounter;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.hedge.TransferSpeeds;
import io.cloudmw.core.hedge.WithdrawnBlocks;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a delivery: the blocks and relays under way, and the moves that change them. Each move keeps the state
 * consistent and orders the action that goes with it; which move to make is decided elsewhere.
 */
final class DeliveryState {
    /** Weight of the latest gap between leaves in their usual gap. */
    private static final int PACE_WEIGHT = 16;

    /**
     * The blocks of a racer that are issued.
     *
     * @param endedNanos the time when the last of its blocks ended; before that, of its first issue
     */
    private record Load(int blocks, long endedNanos) {
        static final Load NONE = new Load(0, 0);

        Load more() {
            return new Load(blocks + 1, endedNanos);
        }

        /** The load without one block; null: there is none left. */
        @Nullable
        Load fewer(long nowNanos) {
            return blocks == 1 ? null : new Load(blocks - 1, nowNanos);
        }
    }

    private final DeliveryPolicy policy;
    private final LiveRacers racers;
    private final TransferSpeeds speeds;
    private final RedundancyBudget budget;
    private final BlockWindow window;
    private final DirectComparison direct;
    private final IssueCounter counter = new IssueCounter();
    private final WithdrawnBlocks withdrawn;
    private final Map<BlockId, BlockProgress> issued = new TreeMap<>();
    private final Map<Long, OfferedRelay> relays = new TreeMap<>();
    private final Map<RacerId, Load> loads = new HashMap<>();
    /** Stores that nobody can use, as far as is known. */
    private final Set<StoreId> away = new HashSet<>();
    /** Actions that the event being taken has ordered. */
    private final List<Consumer<DeliveryActions>> ordered = new ArrayList<>();

    private @Nullable ThroughputSnapshot throughput;
    private int nextBlock;
    private long nowNanos;
    private boolean over;
    private boolean anyRouteFailed;
    private double paceNanos;
    private long lastLeafAtNanos;
    private boolean leafSeen;

    DeliveryState(DeliveryPolicy policy, LiveRacers racers, SpeedEstimates estimates, RedundancyBudget budget) {
        this.policy = policy;
        this.racers = racers;
        this.speeds = new TransferSpeeds(estimates);
        this.budget = budget;
        this.withdrawn = new WithdrawnBlocks(budget);
        this.direct = new DirectComparison(policy.direct().start());
        this.window = new BlockWindow(policy.mode().blocks(), policy.inOrder());
    }

    // ---- facts for the rules

    DeliveryPolicy policy() {
        return policy;
    }

    ModePolicy mode() {
        return policy.mode();
    }

    LiveRacers racers() {
        return racers;
    }

    TransferSpeeds speeds() {
        return speeds;
    }

    RedundancyBudget budget() {
        return budget;
    }

    BlockWindow window() {
        return window;
    }

    /** The use of the client's own racers now. */
    DirectUse directUse() {
        return direct.use();
    }

    /** The time of the event being taken. */
    long now() {
        return nowNanos;
    }

    /** Returns whether the transfer is complete, has failed or is closed. */
    boolean isOver() {
        return over;
    }

    /** Returns whether any route to any chunk ever failed. Before that, helpers bring everything. */
    boolean hasAnyRouteFailed() {
        return anyRouteFailed;
    }

    @Nullable
    BlockProgress block(BlockId block) {
        return issued.get(block);
    }

    /** The blocks under way, by id. */
    Collection<BlockProgress> blocks() {
        return issued.values();
    }

    boolean isUnderWay(BlockProgress block) {
        return issued.get(block.id()) == block;
    }

    @Nullable
    OfferedRelay relay(long number) {
        return relays.get(number);
    }

    /** The relays offered or accepted, by number. */
    Collection<OfferedRelay> relays() {
        return relays.values();
    }

    /** The number of blocks this racer is an entrant of. */
    int blocksOf(RacerId racer) {
        return loads.getOrDefault(racer, Load.NONE).blocks();
    }

    /** The time since which the racer has had no more blocks than now; {@code otherwise} if that is later. */
    long noMoreBlocksSince(RacerId racer, long otherwise) {
        Load load = loads.get(racer);
        return load == null || load.endedNanos() - otherwise < 0 ? otherwise : load.endedNanos();
    }

    /** The throughput of everything under way, measured anew after each event and whenever something ends or moves. */
    ThroughputSnapshot throughput() {
        ThroughputSnapshot seen = throughput;
        if (seen == null) {
            seen = new ThroughputSnapshot(issued.values(), relays.values(), nowNanos);
            throughput = seen;
        }
        return seen;
    }

    /** The usual speed of the route by which the block comes, or of the one it is measured by. */
    SpeedEstimate usual(BlockProgress block) {
        int helper = racers.helperOf(block.holder().racer());
        return speeds.usual(block.measuredBy(), helper, block.block().range().length());
    }

    /** The usual time between two leaves, from any relay. */
    double paceNanos() {
        return paceNanos;
    }

    /** The time for which the destination will be busy with what the racers have fetched already. */
    double backlogNanos() {
        double leaves = 0;
        for (BlockProgress block : issued.values()) {
            leaves += block.undeliveredBytes() / (double) block.chunk().plan().leafSizeBytes();
        }
        return leaves * paceNanos;
    }

    /** Attempts that read a store or wait for it; a tied block counts where it runs, or may run first. */
    int busy(StoreId store) {
        int busy = 0;
        for (BlockProgress block : issued.values()) {
            if (block.isCutThrough()
                    && !block.attempt().isFetched()
                    && block.store().equals(store)) {
                busy++;
            }
        }
        return busy;
    }

    boolean isAway(StoreId store) {
        return away.contains(store);
    }

    /** Returns whether the chunk can be read from a store that is not away. */
    boolean isReadableElsewhere(ChunkRoutes chunk) {
        return chunk.readable().stream().anyMatch(replica -> !isAway(chunk.store(replica)));
    }

    IssueCounts counts() {
        return counter.counts();
    }

    // ---- events

    /** Begins to take an event. */
    void begin(long now) {
        nowNanos = now;
        racers.begin(now);
        ordered.clear();
        throughput = null;
    }

    /** The actions ordered since {@link #begin}; they are ordered no more. */
    List<Consumer<DeliveryActions>> takeOrders() {
        if (ordered.isEmpty()) {
            return List.of();
        }
        List<Consumer<DeliveryActions>> due = List.copyOf(ordered);
        ordered.clear();
        return due;
    }

    /** Notes that nobody can use these stores: they are read last from now on. */
    void storesAway(Set<StoreId> stores) {
        away.addAll(stores);
    }

    /** Notes that the client's own racers are ready, and which stores they cannot read. */
    void localReady(Collection<RacerId> ready, Set<StoreId> unreadable) {
        racers.localReady(ready, unreadable);
        if (ready.isEmpty()) {
            direct.giveUp();
        }
        window.routesChanged();
    }

    /** Compares the client's own racers with the helpers, after they have fetched a block. */
    void fetchedDirectly(BlockProgress block) {
        if (direct.use() == DirectUse.LAST_RESORT) {
            return;
        }
        ChunkRoutes chunk = block.chunk();
        long bytes = block.block().range().length();
        OptionalDouble own = quickestNanos(chunk, List.of(SpeedEstimates.CLIENT), bytes);
        OptionalDouble helpers = quickestNanos(chunk, racers.helpers(), bytes);
        if (own.isPresent() && helpers.isPresent() && direct.fetched(own.getAsDouble(), helpers.getAsDouble())) {
            window.routesChanged();
        }
    }

    /** The time that so many bytes take by the quickest measured route of some readers; empty: none was measured. */
    private OptionalDouble quickestNanos(ChunkRoutes chunk, Collection<Integer> readers, long bytes) {
        OptionalDouble quickest = OptionalDouble.empty();
        for (int reader : readers) {
            for (int replica : chunk.readable()) {
                StoreId store = chunk.store(replica);
                OptionalDouble time = chunk.isSpent(reader, replica) || !racers.mayRead(reader, store)
                        ? OptionalDouble.empty()
                        : speeds.measuredNanos(store, reader, bytes);
                if (time.isPresent() && (quickest.isEmpty() || time.getAsDouble() < quickest.getAsDouble())) {
                    quickest = time;
                }
            }
        }
        return quickest;
    }

    /** Notes that a leaf of the relay was handed on. */
    void leafDelivered(OfferedRelay relay) {
        WantedRange range = relay.block().range();
        budget.usefulBytes(range.nextLeafBytes());
        range.leafDelivered();
        if (leafSeen) {
            paceNanos += ((nowNanos - lastLeafAtNanos) - paceNanos) / PACE_WEIGHT;
        }
        leafSeen = true;
        lastLeafAtNanos = nowNanos;
    }

    /** A racer reports an attempt at a block that is not under way any more. */
    void attemptedAfterTheEnd(BlockId block, AttemptStage stage, long bytes) {
        withdrawn.attempted(block, stage, bytes);
    }

    /** The budget did not allow a second attempt that was due. */
    void countSuppressed() {
        counter.suppressed();
    }

    // ---- moves: issuing

    /**
     * Issues what is missing of the range.
     *
     * @param allowedBytes what the budget was asked for; 0: it is no extra
     */
    BlockProgress issue(
            WantedRange range, List<Entrant> entrants, BlockRule rule, IssueReason reason, long allowedBytes) {
        counter.issued(reason);
        return place(range, entrants, rule, reason, allowedBytes);
    }

    /** Issues what is missing of the range to one racer, for the reason that is next. */
    BlockProgress issue(WantedRange range, Entrant entrant) {
        return issue(range, List.of(entrant), BlockRule.SOLE, range.nextReason(), 0);
    }

    /** Gives an unstarted block to another racer: it is issued for the same reason, and counted once. */
    void changeHands(BlockProgress block, Entrant to) {
        takeBack(block);
        place(block.range(), List.of(to), BlockRule.SOLE, block.reason(), 0);
    }

    /** Takes an unstarted block back, so that its range goes to any racer as if it had never been issued. */
    void takeBackForAll(BlockProgress block) {
        takeBack(block);
        block.range().markMoved();
        block.range().issueNextFor(IssueReason.PLANNED); // a retry was counted when it was issued
        window.unissued(block.range());
    }

    private void takeBack(BlockProgress block) {
        withdraw(block);
        withdrawn.add(block.id());
    }

    private BlockProgress place(
            WantedRange range, List<Entrant> entrants, BlockRule rule, IssueReason reason, long allowedBytes) {
        ChunkRoutes chunk = range.chunk();
        Block block = new Block(
                new BlockId(nextBlock++),
                chunk.plan().chunkIndex(),
                range.missing(),
                chunk.plan().replicas(),
                entrants,
                rule,
                chunk.barred());
        BlockProgress progress = new BlockProgress(range, block, reason, allowedBytes, nowNanos);
        RacerId first = entrants.get(0).racer();
        if (block.isCutThrough() && racers.load(first) == 0 && !throughput().holds(first)) {
            progress.markDueAtOnce();
        }
        issued.put(block.id(), progress);
        range.add(progress);
        window.issued(range);
        entrants.forEach(entrant -> loads.merge(entrant.racer(), new Load(1, nowNanos), (load, one) -> load.more()));
        if (block.isCutThrough()) {
            racers.queued(progress);
        }
        ordered.add(to -> to.issue(block, reason));
        return progress;
    }

    /** Splits off the last {@code tailBytes} of what is missing of a block, as a range of its own. */
    WantedRange split(BlockProgress block, long tailBytes) {
        WantedRange range = block.range();
        WantedRange tail = range.splitAt(range.missing().end() - tailBytes);
        window.add(tail);
        long start = block.block().range().offset();
        ByteRange kept = new ByteRange(start, range.missing().end() - start);
        ordered.add(to -> to.shorten(block.block(), kept));
        return tail;
    }

    // ---- moves: relays

    void offered(long number, RacerId racer, BlockProgress block) {
        OfferedRelay relay = new OfferedRelay(number, racer, block);
        block.offered(relay);
        relays.put(number, relay);
    }

    void refuse(long number) {
        ordered.add(to -> to.refuse(number));
    }

    void prepare(OfferedRelay relay) {
        relay.prepare();
        BlockProgress block = relay.block();
        ByteRange wanted = block.range().missing();
        ordered.add(to -> to.prepare(relay.number(), block.block(), wanted));
    }

    void accept(OfferedRelay relay) {
        relay.accept(nowNanos);
        BlockProgress block = relay.block();
        block.accepted(nowNanos);
        throughput = null;
        ByteRange wanted = block.range().missing();
        ordered.add(to -> to.accept(relay.number(), block.block(), wanted));
    }

    /** Forgets a relay that is over already. */
    void relayEnded(OfferedRelay relay) {
        relays.remove(relay.number());
        relay.block().relayEnded();
        throughput = null;
    }

    // ---- moves: fetching

    /** The racer has fetched the whole block: its lane is free. */
    void fetched(BlockProgress block) {
        if (!block.attempt().isFetched()) {
            block.attempt().fetched();
            laneFreed(block);
        }
    }

    /** The racer held the block before it was asked: its lane is free. */
    void kept(BlockProgress block, RacerId racer) {
        block.attempt().started(racer, nowNanos);
        block.attempt().kept();
        laneFreed(block);
    }

    private void laneFreed(BlockProgress block) {
        throughput = null;
        racers.unqueued(block);
    }

    // ---- moves: ends

    /** The range arrived, by this block. */
    void acknowledge(BlockProgress block) {
        WantedRange range = block.range();
        remove(block);
        for (BlockProgress loser : List.copyOf(range.blocks())) {
            lose(loser, block);
        }
        window.delivered(range, nowNanos);
        ordered.add(to -> to.acknowledge(block.block()));
    }

    /** Ends a block for good and tells its racers. */
    void withdraw(BlockProgress block) {
        OfferedRelay relay = block.relay();
        if (relay != null) {
            refuse(relay.number());
        }
        remove(block);
        ordered.add(to -> to.withdraw(block.block()));
    }

    /** Ends one of two blocks of a range; {@code winner} goes on. */
    void lose(BlockProgress loser, BlockProgress winner) {
        account(loser, winner);
        withdraw(loser);
    }

    /** Refunds what the extra one of two blocks did not fetch twice: once, when either of them ends. */
    private void account(BlockProgress ended, BlockProgress goesOn) {
        boolean extraWon = goesOn.allowedBytes() > 0;
        BlockProgress extra = extraWon ? goesOn : ended;
        long twice = Math.max(0, ended.attempt().bytes() - ended.deliveredBytes());
        budget.refund(Math.max(0, extra.allowedBytes() - twice));
        extra.settleAllowance();
        if (ended.isCutThrough() && !ended.isHeardOf()) {
            withdrawn.addPaid(ended.id());
        }
        if (extraWon) {
            counter.won(goesOn.reason());
        }
    }

    /** Removes a block without ordering an action. */
    private void remove(BlockProgress block) {
        issued.remove(block.id());
        block.range().remove(block);
        for (Entrant entrant : block.block().entrants()) {
            loads.computeIfPresent(entrant.racer(), (racer, load) -> load.fewer(nowNanos));
        }
        throughput = null;
        RacerId runner = block.attempt().runner();
        if (block.isCutThrough() && !block.attempt().isFetched()) {
            racers.unqueued(block);
        } else if (runner != null) {
            racers.freed(runner);
        }
        OfferedRelay relay = block.relay();
        if (relay != null) {
            relays.remove(relay.number());
            block.relayEnded();
        }
    }

    /** Ends a block that cannot arrive; what is missing is issued to another racer. */
    void retry(BlockProgress block) {
        if (over || !isUnderWay(block)) {
            return;
        }
        WantedRange range = block.range();
        for (BlockProgress other : range.blocks()) {
            if (other != block) {
                lose(block, other);
                return;
            }
        }
        withdraw(block);
        window.unissued(range);
        range.issueNextFor(IssueReason.RETRY);
        if (range.countReissue() > policy.patience().maxReissues() && !unbar(range)) {
            fail(range);
        }
    }

    /** Ends and issues anew a block for which no entrant is left. */
    void retryIfHopeless(BlockProgress block) {
        if (block.isHopeless(racers)) {
            retry(block);
        }
    }

    /** Notes that a racer did not bring a block. */
    void failed(BlockProgress block, RacerId racer, ErrorCode code) {
        Entrant entrant = block.entrants().find(racer);
        if (!block.isCutThrough()) {
            block.chunk().avoid(racer, code);
        } else if (entrant != null) {
            int helper = racers.helperOf(racer);
            block.chunk().failed(helper, entrant.replica(), code);
            if (helper == SpeedEstimates.CLIENT) {
                direct.failed(code);
            }
            anyRouteFailed = true;
            window.routesChanged();
        }
    }

    /** Like {@link WantedRange#unbar}. */
    boolean unbar(WantedRange range) {
        window.routesChanged();
        return range.unbar();
    }

    /** Stops waiting for the helper of this racer. */
    void abandon(RacerId racer) {
        RacerId firstLane = racers.firstLane(racer);
        ordered.add(to -> to.abandon(firstLane, ErrorCode.DEADLINE_EXCEEDED));
    }

    /** Asks for the client's own racers, once. */
    void askForDirectRacers() {
        if (racers.askLocal()) {
            int spare = policy.direct().lanes() + mode().lineup().spareLanes();
            ordered.add(to -> to.raceDirectly(spare));
        }
    }

    void complete() {
        over = true;
        ordered.add(DeliveryActions::complete);
    }

    void fail(WantedRange range) {
        over = true;
        long chunkIndex = range.chunk().plan().chunkIndex();
        ErrorCode code = range.chunk().lastCode();
        ordered.add(to -> to.fail(chunkIndex, code));
    }

    /** Ends the delivery; the budget gets back what extras under way were allowed to fetch and have not. */
    void close() {
        over = true;
        for (BlockProgress block : issued.values()) {
            budget.refund(Math.max(0, block.allowedBytes() - block.attempt().bytes()));
            block.settleAllowance();
        }
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.hedge.TransferSpeeds;
import io.cloudmw.core.hedge.WithdrawnBlocks;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
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
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is under way at the destination, and the moves that change it. Which to make is decided elsewhere. */
final class DeliveryState {
    final DeliveryPolicy policy;
    final LiveRacers roster;
    final TransferSpeeds speeds;
    final RedundancyBudget governor;
    final BlockWindow window;
    final IssueCounter ledger = new IssueCounter();
    final WithdrawnBlocks takenBack;
    final List<DeliveryCommand> commands = new ArrayList<>();
    long nowNanos;
    boolean over;
    /** Whether any way to any chunk ever failed: before that, helpers bring all there is. */
    boolean anyFailed;

    private final Map<BlockId, BlockProgress> issued = new TreeMap<>();
    private final Map<Long, OfferedRelay> relays = new TreeMap<>();
    /** Of how many flights each racer is an entrant. */
    private final Map<RacerId, Integer> flightsOf = new HashMap<>();

    /** Stores whose only process is gone. */
    private final Set<StoreId> away = new HashSet<>();

    private @Nullable ThroughputSnapshot traffic;
    private int nextBlock;
    private double paceNanos;
    private long lastLeafAtNanos;
    private boolean leafSeen;

    DeliveryState(DeliveryPolicy policy, LiveRacers roster, SpeedEstimates view, RedundancyBudget governor) {
        this.policy = policy;
        this.roster = roster;
        this.speeds = new TransferSpeeds(view);
        this.governor = governor;
        this.takenBack = new WithdrawnBlocks(governor);
        this.window = new BlockWindow(policy.mode().blocks(), policy.inOrder());
    }

    ModePolicy mode() {
        return policy.mode();
    }

    /** Another event is about to be taken. */
    void begin(long now) {
        nowNanos = now;
        roster.begin(now);
        commands.clear();
        traffic = null;
    }

    /** They are asked last from now on. */
    void away(Set<StoreId> stores) {
        away.addAll(stores);
    }

    boolean isAway(StoreId store) {
        return away.contains(store);
    }

    /** Whether it may be read of a store that is not away. */
    boolean isElsewhere(ChunkRoutes chunk) {
        return chunk.readable().stream().anyMatch(replica -> !isAway(chunk.store(replica)));
    }

    /** How fast everything comes; looked at anew with every event, and when something ended or moves. */
    ThroughputSnapshot traffic() {
        ThroughputSnapshot seen = traffic;
        if (seen == null) {
            seen = new ThroughputSnapshot(issued.values(), relays.values(), nowNanos);
            traffic = seen;
        }
        return seen;
    }

    @Nullable
    BlockProgress flight(BlockId block) {
        return issued.get(block);
    }

    Collection<BlockProgress> flights() {
        return issued.values();
    }

    boolean isUnderWay(BlockProgress flight) {
        return issued.get(flight.block.id()) == flight;
    }

    @Nullable
    OfferedRelay relay(long number) {
        return relays.get(number);
    }

    Collection<OfferedRelay> relays() {
        return relays.values();
    }

    /** What is known of the way by which the flight comes, or should be as fast as. */
    SpeedEstimate usual(BlockProgress flight) {
        int helper = roster.helperOf(flight.holder().racer());
        return speeds.usual(flight.measure(), helper, flight.block.range().length());
    }

    void leafDelivered() {
        if (leafSeen) {
            paceNanos += ((nowNanos - lastLeafAtNanos) - paceNanos) / 16;
        }
        leafSeen = true;
        lastLeafAtNanos = nowNanos;
    }

    /** Time between leaves, whoever brings them, lately. */
    double paceNanos() {
        return paceNanos;
    }

    /** How long the destination will be busy with what the racers have fetched already. */
    double backlogNanos() {
        double leaves = 0;
        for (BlockProgress flight : issued.values()) {
            leaves += flight.undeliveredBytes() / (double) flight.piece.chunk.plan.leafSizeBytes();
        }
        return leaves * paceNanos;
    }

    /** Attempts that fetch at a store, or wait for it: those of tied blocks where they run, or else may first. */
    int busy(StoreId store) {
        int busy = 0;
        for (BlockProgress flight : issued.values()) {
            if (flight.isCutThrough() && !flight.fetched && flight.store().equals(store)) {
                busy++;
            }
        }
        return busy;
    }

    /** Flights this racer is an entrant of. */
    int flightsOf(RacerId racer) {
        return flightsOf.getOrDefault(racer, 0);
    }

    /** Issues what is missing of the piece. {@code allowedBytes}: as asked of the governor. */
    BlockProgress issue(
            WantedRange piece, List<Entrant> entrants, BlockRule rule, IssueReason reason, long allowedBytes) {
        ledger.issued(reason);
        return place(piece, entrants, rule, reason, allowedBytes);
    }

    /** What was not begun, as far as is known, goes to another: it is issued for the same reason, and counted once. */
    void changeHands(BlockProgress flight, Entrant to) {
        takeBack(flight);
        place(flight.piece, List.of(to), BlockRule.SOLE, flight.reason, 0);
    }

    /** What was not begun, as far as is known, is whoever's turn it is next, as if it had never been issued. */
    void takeBackForAll(BlockProgress flight) {
        takeBack(flight);
        flight.piece.moved = true;
        flight.piece.next = IssueReason.PLANNED; // a retry was counted when it was issued
        window.unissued(flight.piece);
    }

    private void takeBack(BlockProgress flight) {
        withdraw(flight);
        takenBack.add(flight.block.id());
    }

    private BlockProgress place(
            WantedRange piece, List<Entrant> entrants, BlockRule rule, IssueReason reason, long allowedBytes) {
        Block block = new Block(
                new BlockId(nextBlock++),
                piece.chunk.plan.chunkIndex(),
                piece.missing(),
                piece.chunk.plan.replicas(),
                entrants,
                rule,
                piece.chunk.barred());
        BlockProgress flight = new BlockProgress(piece, block, reason, allowedBytes, nowNanos);
        RacerId first = entrants.get(0).racer();
        flight.isDueAtOnce =
                block.isCutThrough() && roster.load(first) == 0 && !traffic().holds(first);
        issued.put(block.id(), flight);
        piece.flights.add(flight);
        window.issued(piece);
        entrants.forEach(entrant -> flightsOf.merge(entrant.racer(), 1, Integer::sum));
        if (block.isCutThrough()) {
            roster.queued(flight);
        }
        commands.add(new DeliveryCommand.Issue(block, reason));
        return flight;
    }

    OfferedRelay offered(long number, RacerId racer, BlockProgress flight) {
        OfferedRelay relay = new OfferedRelay(number, racer, flight);
        flight.relay = relay;
        relays.put(number, relay);
        return relay;
    }

    void prepare(OfferedRelay relay) {
        relay.prepared = true;
        commands.add(new DeliveryCommand.Prepare(relay.number, relay.flight.block, relay.flight.piece.missing()));
    }

    void accept(OfferedRelay relay) {
        relay.accepted = true;
        relay.flight.relayed = true;
        relay.movedAtNanos = nowNanos;
        relay.flight.movedAtNanos = nowNanos;
        traffic = null;
        commands.add(new DeliveryCommand.Accept(relay.number, relay.flight.block, relay.flight.piece.missing()));
    }

    /** The racer has the whole block: its lane is free. */
    void fetched(BlockProgress flight) {
        if (!flight.fetched) {
            flight.fetched = true;
            traffic = null;
            roster.unqueued(flight);
        }
    }

    private static <K> void oneLess(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (counted, count) -> count == 1 ? null : count - 1);
    }

    /** Ends a flight here, without a word to anybody. */
    private void remove(BlockProgress flight) {
        issued.remove(flight.block.id());
        flight.piece.flights.remove(flight);
        flight.block.entrants().forEach(entrant -> oneLess(flightsOf, entrant.racer()));
        traffic = null;
        if (flight.isCutThrough() && !flight.fetched) {
            roster.unqueued(flight);
        } else if (flight.runner != null) {
            roster.freed(flight.runner);
        }
        OfferedRelay relay = flight.relay;
        if (relay != null) {
            relays.remove(relay.number);
            flight.relay = null;
        }
    }

    /** The piece arrived, by this flight. */
    void acknowledge(BlockProgress flight) {
        WantedRange piece = flight.piece;
        remove(flight);
        for (BlockProgress loser : List.copyOf(piece.flights)) {
            lose(loser, flight);
        }
        window.delivered(piece, nowNanos);
        commands.add(new DeliveryCommand.Acknowledge(flight.block));
    }

    /** Ends a flight for good, telling its racers. */
    void withdraw(BlockProgress flight) {
        OfferedRelay relay = flight.relay;
        if (relay != null) {
            commands.add(new DeliveryCommand.Refuse(relay.number));
        }
        remove(flight);
        commands.add(new DeliveryCommand.Withdraw(flight.block));
    }

    /** Of two flights of one piece, {@code winner} goes on. */
    void lose(BlockProgress loser, BlockProgress winner) {
        account(loser, winner);
        withdraw(loser);
    }

    /** Gives back what the extra one of two did not fetch twice: once, when either of them ends. */
    private void account(BlockProgress ended, BlockProgress goesOn) {
        boolean won = goesOn.allowedBytes > 0;
        BlockProgress extra = won ? goesOn : ended;
        long used = ended.relayed
                ? ended.piece.missing().offset() - ended.block.range().offset()
                : 0;
        long twice = Math.max(0, ended.bytes() - used);
        governor.refund(Math.max(0, extra.allowedBytes - twice));
        extra.allowedBytes = 0;
        if (ended.isCutThrough() && !ended.isHeardOf()) {
            takenBack.addPaid(ended.block.id());
        }
        if (won) {
            ledger.won(goesOn.reason);
        }
    }

    /** The relay is over already. */
    void relayEnded(OfferedRelay relay) {
        relays.remove(relay.number);
        relay.flight.relay = null;
        traffic = null;
    }

    /** What the flight should have brought is wanted anew, of somebody else. */
    void retry(BlockProgress flight) {
        if (over || !isUnderWay(flight)) {
            return;
        }
        WantedRange piece = flight.piece;
        List<BlockProgress> others =
                piece.flights.stream().filter(other -> other != flight).toList();
        if (!others.isEmpty()) {
            lose(flight, others.get(0));
            return;
        }
        withdraw(flight);
        window.unissued(piece);
        piece.next = IssueReason.RETRY;
        if (piece.reissued() > policy.patience().maxReissues() && !resort(piece)) {
            fail(piece);
        }
    }

    /** A way to the chunk failed: what is ready of it may be another's to bring. */
    void failed(ChunkRoutes chunk, int helper, int replica, ErrorCode code) {
        chunk.failed(helper, replica, code);
        anyFailed = true;
        window.waysChanged();
    }

    /** As {@link WantedRange#resort}. */
    boolean resort(WantedRange piece) {
        window.waysChanged();
        return piece.resort();
    }

    void fail(WantedRange piece) {
        over = true;
        commands.add(new DeliveryCommand.Fail(piece.chunk.plan.chunkIndex(), piece.chunk.lastCode()));
    }

    /** Nothing more is wanted: the governor gets back what extras under way were allowed and have not fetched. */
    void close() {
        over = true;
        for (BlockProgress flight : issued.values()) {
            governor.refund(Math.max(0, flight.allowedBytes - flight.bytes()));
            flight.allowedBytes = 0;
        }
    }

    void askLocal() {
        if (roster.askLocal()) {
            commands.add(new DeliveryCommand.RaceLocally(mode().lineup().spareLanes()));
        }
    }
}

package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.testing.DeliveryCommand;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.RaceEvent;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.ArrayList;
import java.util.BitSet;
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

/** A transfer in a fleet: its destination, its helpers, and its invariants. */
public final class FleetTransfer {
    /**
     * The chunks to read, and their readers.
     *
     * @param helpers the fleet's numbers of the transfer's helpers
     * @param stores for each chunk, the fleet's numbers of the stores of its replicas
     */
    public record Spec(
            Mode mode, boolean inOrder, List<Long> chunkBytes, List<Integer> helpers, List<List<Integer>> stores) {}

    /**
     * The result of a transfer.
     *
     * @param takenBack requests for blocks that were issued to another racer as if none had begun them
     * @param unmade blocks that second attempts brought before a racer had begun them: no request was made twice
     */
    public record Result(
            boolean complete,
            long nanos,
            long bytes,
            long fetchedBytes,
            int requests,
            int takenBack,
            int unmade,
            IssueCounts tally) {}

    private static final long LEAF_BYTES = 256 << 10;
    private static final long LOCAL_READY_NANOS = 50_000_000;

    final SimulatedFleet fleet;
    int requests;
    long fetchedBytes;
    /** Blocks for which a request was sent. */
    final Set<BlockId> begun = new HashSet<>();
    /** Blocks that were withdrawn; their replacements may be issued later. */
    private final List<Block> withdrawn = new ArrayList<>();
    /** Blocks that were no extras. */
    private final Set<BlockId> needed = new HashSet<>();
    /** Blocks that were withdrawn and issued to another as planned. */
    private final Set<BlockId> changedHands = new HashSet<>();

    private final Spec spec;
    private final Consumer<Result> ended;
    private final LaneLayout lanes;
    private final RecordedDelivery delivery;
    private final Server link;
    private final List<FleetHost> hosts = new ArrayList<>();
    private final Map<RacerId, FleetHost> hostOf = new HashMap<>();
    private final Map<Long, FleetRelay> relays = new TreeMap<>();
    private final BitSet handedOn = new BitSet();
    private final long[] firstLeaf;
    private final long startedAtNanos;
    private int nextChunk;
    private long nextRelay;
    private boolean planEnded;
    private boolean over;
    private long wakeAtNanos = -1;

    public FleetTransfer(SimulatedFleet fleet, Spec spec, RedundancyBudget governor, Consumer<Result> ended) {
        this.fleet = fleet;
        this.spec = spec;
        this.ended = ended;
        DeliveryPolicy policy = DeliveryPolicy.of(spec.mode(), spec.inOrder());
        this.lanes = policy.mode().lanes(spec.helpers().size());
        this.link = new Server(fleet.clock, at -> fleet.settings.linkBytesPerSecond() / 1e9, Long.MAX_VALUE / 2);
        this.startedAtNanos = fleet.clock.nanos();
        Set<RacerId> reachable = new TreeSet<>();
        for (int helper = 0; helper < spec.helpers().size(); helper++) {
            reachable.add(lanes.racer(helper, 0));
            host(spec.helpers().get(helper), new TreeSet<>(lanes.of(helper)));
        }
        this.delivery = new RecordedDelivery(policy, lanes, reachable, fleet.speeds, governor);
        this.firstLeaf = new long[spec.chunkBytes().size() + 1];
        for (int chunk = 0; chunk < spec.chunkBytes().size(); chunk++) {
            firstLeaf[chunk + 1] = firstLeaf[chunk] + (spec.chunkBytes().get(chunk) + LEAF_BYTES - 1) / LEAF_BYTES;
        }
    }

    static StoreId storeId(int store) {
        return new StoreId("s" + store);
    }

    private void host(int process, Set<RacerId> ranks) {
        FleetHost host = new FleetHost(process, ranks, this, fleet.drift(process));
        hosts.add(host);
        ranks.forEach(rank -> hostOf.put(rank, host));
    }

    /** Begins; the consumer hears the end. */
    public void start() {
        plan();
        watchConnections();
    }

    boolean isOver() {
        return over;
    }

    long leafBytes() {
        return LEAF_BYTES;
    }

    int store(long chunk, int replica) {
        return spec.stores().get((int) chunk).get(replica);
    }

    void check(boolean holds, int invariant, String otherwise) {
        if (!holds) {
            throw new AssertionError("invariant " + invariant + " violated: " + otherwise + " in " + spec);
        }
    }

    // ---- the destination

    private void plan() {
        while (!over && delivery.wantsPlan() && nextChunk < spec.chunkBytes().size()) {
            int chunk = nextChunk++;
            long bytes = spec.chunkBytes().get(chunk);
            List<StoreId> stores = spec.stores().get(chunk).stream()
                    .map(FleetTransfer::storeId)
                    .toList();
            List<Entrant> entrants = new ArrayList<>();
            for (int i = 0; i < Math.min(stores.size(), spec.helpers().size()); i++) {
                entrants.add(new Entrant(lanes.racer(i, 0), (i + chunk) % stores.size()));
            }
            take(new DeliveryEvent.Planned(
                    chunk, new ByteRange(0, bytes), bytes, (int) LEAF_BYTES, stores, Set.of(), entrants));
        }
        if (!over && nextChunk == spec.chunkBytes().size() && !planEnded) {
            planEnded = true;
            take(new DeliveryEvent.PlanEnded());
        }
    }

    private void handle(DeliveryEvent event) {
        take(event);
        plan();
    }

    private void take(DeliveryEvent event) {
        if (over) {
            return;
        }
        List<DeliveryCommand> commands = delivery.on(event, fleet.clock.nanos());
        for (DeliveryCommand command : commands) {
            execute(command);
            if (command instanceof DeliveryCommand.Withdraw withdraw) {
                withdrawn.add(withdraw.block());
            } else if (command instanceof DeliveryCommand.Issue issue) {
                issued(issue);
            }
        }
        OptionalLong wake = delivery.wakeAtNanos();
        if (wake.isPresent() && wake.getAsLong() != wakeAtNanos) {
            wakeAtNanos = wake.getAsLong();
            fleet.clock.after(wakeAtNanos - fleet.clock.nanos(), this::wake);
        }
    }

    private void issued(DeliveryCommand.Issue issue) {
        List<Block> before =
                withdrawn.stream().filter(block -> isSame(block, issue.block())).toList();
        withdrawn.removeAll(before);
        if (!issue.reason().isExtra()) {
            needed.add(issue.block().id());
        }
        if (issue.reason() == IssueReason.PLANNED) {
            before.forEach(block -> changedHands.add(block.id()));
        }
    }

    private static boolean isSame(Block one, Block other) {
        return one.chunkIndex() == other.chunkIndex()
                && one.range().offset() == other.range().offset();
    }

    private void wake() {
        OptionalLong due = over ? OptionalLong.empty() : delivery.wakeAtNanos();
        if (due.isPresent() && due.getAsLong() <= fleet.clock.nanos()) {
            handle(new DeliveryEvent.TimePassed());
        }
    }

    private void execute(DeliveryCommand command) {
        if (command instanceof DeliveryCommand.Issue issue) {
            tellEntrants(issue.block(), new RaceEvent.Issued(issue.block()));
        } else if (command instanceof DeliveryCommand.Withdraw withdraw) {
            tellEntrants(
                    withdraw.block(), new RaceEvent.Withdrawn(withdraw.block().id()));
        } else if (command instanceof DeliveryCommand.Acknowledge acknowledge) {
            tellEntrants(
                    acknowledge.block(),
                    new RaceEvent.Delivered(acknowledge.block().id()));
        } else if (command instanceof DeliveryCommand.Prepare prepare) {
            FleetRelay relay = relay(prepare.relay());
            relay.wanted = prepare.wanted();
            grant(relay);
        } else if (command instanceof DeliveryCommand.Accept accept) {
            FleetRelay relay = relay(accept.relay());
            relay.wanted = accept.wanted();
            relay.accepted = true;
            grant(relay);
            fleet.clock.after(0, () -> takeEarly(relay));
        } else if (command instanceof DeliveryCommand.Shorten shorten) {
            for (FleetRelay relay : relays.values()) {
                if (relay.fetch.block.id().equals(shorten.block().id())) {
                    relay.shorten(shorten.kept().end());
                }
            }
            tellEntrants(
                    shorten.block(),
                    new RaceEvent.Shortened(shorten.block().id(), shorten.kept().length()));
        } else if (command instanceof DeliveryCommand.Refuse refuse) {
            relay(refuse.relay()).closed = true;
        } else if (command instanceof DeliveryCommand.Abandon abandon) {
            disconnect(hostOf(abandon.racer()));
        } else if (command instanceof DeliveryCommand.RaceLocally locally) {
            fleet.clock.after(LOCAL_READY_NANOS, () -> raceDirectly(locally.spare()));
        } else if (command instanceof DeliveryCommand.Complete) {
            end(true);
        } else if (command instanceof DeliveryCommand.Fail) {
            end(false);
        }
    }

    private void grant(FleetRelay relay) {
        fleet.network.send(FleetNetwork.CLIENT, hostOf(relay).process, () -> {
            relay.granted = true;
            pump(relay);
        });
    }

    private FleetRelay relay(long number) {
        FleetRelay relay = relays.get(number);
        if (relay == null) {
            throw new AssertionError("a command about relay " + number + ", which was never offered");
        }
        return relay;
    }

    private FleetHost hostOf(FleetRelay relay) {
        return hostOf(relay.fetch.attempt.racer());
    }

    private FleetHost hostOf(RacerId racer) {
        FleetHost host = hostOf.get(racer);
        if (host == null) {
            throw new AssertionError("a command about " + racer + ", who does not exist");
        }
        return host;
    }

    private void tellEntrants(Block block, RaceEvent event) {
        Set<FleetHost> told = new LinkedHashSet<>();
        block.entrants().forEach(entrant -> told.add(hostOf(entrant.racer())));
        told.forEach(host -> fleet.network.send(FleetNetwork.CLIENT, host.process, () -> host.handle(event)));
    }

    private void raceDirectly(int spare) {
        List<RacerId> ranks = new ArrayList<>();
        int racers = spec.stores().get(0).size() + spare;
        for (int i = 0; i < racers; i++) {
            ranks.add(new RacerId(lanes.helpers() * lanes.perHelper() + i));
        }
        host(FleetNetwork.CLIENT, new TreeSet<>(ranks));
        handle(new DeliveryEvent.LocalRacersReady(ranks));
    }

    private void end(boolean complete) {
        over = true;
        hosts.forEach(FleetHost::die);
        long leaves = firstLeaf[firstLeaf.length - 1];
        check(complete, 3, "failed, although every store can be reached");
        check(handedOn.cardinality() == leaves, 2, handedOn.cardinality() + " of " + leaves + " leaves handed on");
        long bytes = spec.chunkBytes().stream().mapToLong(Long::longValue).sum();
        changedHands.retainAll(begun);
        long unmade = withdrawn.stream()
                .filter(block -> block.isCutThrough() && needed.contains(block.id()) && !begun.contains(block.id()))
                .count();
        ended.accept(new Result(
                complete,
                fleet.clock.nanos() - startedAtNanos,
                bytes,
                fetchedBytes,
                requests,
                changedHands.size(),
                (int) unmade,
                delivery.counts()));
    }

    // ---- reports of helpers

    void tell(FleetHost from, RacerId peer, RaceEvent event) {
        FleetHost to = hostOf.get(peer);
        if (to != null) {
            fleet.network.send(from.process, to.process, () -> to.handle(event));
        }
    }

    void report(FleetHost from, DeliveryEvent event) {
        fleet.network.send(from.process, FleetNetwork.CLIENT, () -> {
            if (!from.gone) {
                handle(event);
            }
        });
    }

    FleetRelay offer(FleetHost from, FleetFetch fetch) {
        FleetRelay relay = new FleetRelay(nextRelay++, fetch);
        relays.put(relay.number, relay);
        report(from, new DeliveryEvent.Offered(relay.number, fetch.block.id(), fetch.attempt.racer()));
        return relay;
    }

    /** Sends the available leaves that have credit. */
    void pump(FleetRelay relay) {
        FleetHost host = hostOf(relay);
        while (!over && !host.gone && !relay.fetch.over && relay.maySend(LEAF_BYTES)) {
            long leaf = Math.min(LEAF_BYTES, relay.fetch.block.range().length() - relay.sentBytes);
            relay.sentBytes += leaf;
            fleet.network.send(host.process, FleetNetwork.CLIENT, () -> link.serve(leaf, () -> arrived(relay, leaf)));
        }
    }

    private void arrived(FleetRelay relay, long leafBytes) {
        if (relay.accepted && relay.early.isEmpty()) {
            take(relay, leafBytes);
        } else {
            relay.early.add(leafBytes);
        }
    }

    private void takeEarly(FleetRelay relay) {
        while (!relay.early.isEmpty()) {
            take(relay, relay.early.remove());
        }
    }

    private void take(FleetRelay relay, long leafBytes) {
        if (relay.closed || over) {
            return;
        }
        long offset = relay.fetch.block.range().offset() + relay.takenBytes;
        relay.takenBytes += leafBytes;
        if (offset >= relay.wanted.offset() && offset < relay.wanted.end()) {
            handOn(relay, offset);
            relay.closed |= offset + leafBytes >= relay.wanted.end();
            handle(new DeliveryEvent.LeafDelivered(relay.number));
        }
        pump(relay);
    }

    private void handOn(FleetRelay relay, long offset) {
        int leaf = (int) (firstLeaf[(int) relay.fetch.block.chunkIndex()] + offset / LEAF_BYTES);
        check(relay.accepted, 1, "handed on from a relay that was not accepted");
        check(!handedOn.get(leaf), 2, "handed on twice: leaf " + leaf);
        handedOn.set(leaf);
        check(!spec.inOrder() || handedOn.nextClearBit(0) == leaf + 1, 2, "out of order: leaf " + leaf);
        check(delivery.remembered() <= 1024, 6, "remembers " + delivery.remembered());
    }

    // ---- connections

    /** Both sides of a connection that has been blocked for long give it up. */
    private void watchConnections() {
        fleet.clock.after(SimulatedFleet.KEEP_ALIVE_NANOS / 5, () -> {
            if (over) {
                return;
            }
            for (FleetHost host : List.copyOf(hosts)) {
                if (!host.gone && isCutOff(host.process, FleetNetwork.CLIENT)) {
                    disconnect(host);
                    handle(new DeliveryEvent.RacerGone(host.ranks.iterator().next()));
                }
            }
            watchConnections();
        });
    }

    private boolean isCutOff(int one, int other) {
        long now = fleet.clock.nanos();
        return fleet.network.openAtNanos(one, other) - now >= SimulatedFleet.KEEP_ALIVE_NANOS;
    }

    private void disconnect(FleetHost host) {
        host.die();
        for (FleetRelay relay : List.copyOf(relays.values())) {
            if (hostOf(relay) == host && !relay.closed) {
                relay.closed = true;
                handle(new DeliveryEvent.RelayFailed(relay.number, ErrorCode.HELPER_UNAVAILABLE));
            }
        }
        for (FleetHost other : hosts) {
            if (other != host && !other.gone) {
                host.ranks.forEach(rank -> fleet.network.send(
                        FleetNetwork.CLIENT, other.process, () -> other.handle(new RaceEvent.RivalGone(rank))));
            }
        }
    }
}

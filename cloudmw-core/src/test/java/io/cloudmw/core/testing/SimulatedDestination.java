package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The client: it plans, takes relays, verifies leaves and hands them on to the application. */
final class SimulatedDestination {
    /** Its place in {@link SimulatedLinks}. */
    static final int PLACE = -1;

    private static final long LOCAL_READY_NANOS = 50_000_000;
    private static final long LONGEST_READER_NAP_NANOS = 100_000_000_000L;

    final DestinationMachine machine;
    private final SimulatedTransfer transfer;
    private final SimulationSettings settings;
    private final VirtualClock clock;
    private final Map<Long, SimulatedRelay> relays = new TreeMap<>();
    private int nextChunk;
    private long nextRelay;
    private boolean planEnded;
    private long wakeAtNanos = -1;

    SimulatedDestination(DestinationMachine machine, SimulatedTransfer transfer) {
        this.machine = machine;
        this.transfer = transfer;
        this.settings = transfer.settings;
        this.clock = transfer.clock;
    }

    /** Plans as many chunks as are wanted. */
    void plan() {
        while (machine.wantsPlan() && nextChunk < settings.chunks()) {
            int chunk = nextChunk++;
            long length = (long) settings.leavesPerChunk() * SimulationSettings.LEAF_BYTES;
            take(new DeliveryEvent.Planned(
                    chunk,
                    new ByteRange(0, length),
                    length,
                    SimulationSettings.LEAF_BYTES,
                    stores(),
                    Set.of(),
                    entrants(chunk)));
        }
        if (nextChunk == settings.chunks() && !planEnded) {
            planEnded = true;
            take(new DeliveryEvent.PlanEnded());
        }
    }

    private List<StoreId> stores() {
        return IntStream.range(0, settings.replicas())
                .mapToObj(replica -> new StoreId("store-" + replica))
                .toList();
    }

    private List<Entrant> entrants(int chunk) {
        List<Entrant> entrants = new ArrayList<>();
        int racing = Math.min(settings.helpers(), settings.replicas());
        for (int i = 0; i < racing; i++) {
            int replica = (settings.rotate() ? i + chunk : i) % settings.replicas();
            entrants.add(new Entrant(new RacerId(i), replica));
        }
        return entrants;
    }

    void handle(DeliveryEvent event) {
        take(event);
        plan();
    }

    private void take(DeliveryEvent event) {
        if (transfer.isOver()) {
            return;
        }
        transfer.invariants.received(event);
        for (DeliveryCommand command : machine.on(event, clock.nanos())) {
            transfer.invariants.commanded(command);
            execute(command);
        }
        transfer.invariants.check(this);
        OptionalLong wake = machine.wakeAtNanos();
        if (wake.isPresent() && wake.getAsLong() != wakeAtNanos) {
            wakeAtNanos = wake.getAsLong();
            clock.after(wakeAtNanos - clock.nanos(), this::wake);
        }
    }

    private void wake() {
        OptionalLong due = machine.wakeAtNanos();
        if (due.isPresent() && due.getAsLong() <= clock.nanos()) {
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
            SimulatedRelay relay = relay(prepare.relay());
            relay.prepared = true;
            relay.wanted = prepare.wanted();
            grant(relay);
        } else if (command instanceof DeliveryCommand.Accept accept) {
            SimulatedRelay relay = relay(accept.relay());
            relay.accepted = true;
            relay.wanted = accept.wanted();
            if (relay.prepared) {
                clock.after(0, () -> takeEarly(relay));
            } else {
                grant(relay);
            }
        } else if (command instanceof DeliveryCommand.Shorten shorten) {
            for (SimulatedRelay relay : relays.values()) {
                if (relay.block.id().equals(shorten.block().id())) {
                    relay.shorten(shorten.kept().end());
                }
            }
            tellEntrants(
                    shorten.block(),
                    new RaceEvent.Shortened(shorten.block().id(), shorten.kept().length()));
        } else if (command instanceof DeliveryCommand.Refuse refuse) {
            relay(refuse.relay()).closed = true;
        } else if (command instanceof DeliveryCommand.Abandon abandon) {
            transfer.abandon(abandon.racer());
        } else if (command instanceof DeliveryCommand.RaceLocally locally) {
            clock.after(
                    LOCAL_READY_NANOS,
                    () -> handle(new DeliveryEvent.LocalRacersReady(transfer.startLocalRacers(locally.spare()))));
        } else if (command instanceof DeliveryCommand.Complete) {
            transfer.end(true);
        } else if (command instanceof DeliveryCommand.Fail) {
            transfer.end(false);
        }
    }

    private SimulatedRelay relay(long number) {
        SimulatedRelay relay = relays.get(number);
        if (relay == null) {
            throw new AssertionError("a command about relay " + number + ", which was never offered");
        }
        return relay;
    }

    private void tellEntrants(Block block, RaceEvent event) {
        List<SimulatedRacer> told = new ArrayList<>();
        for (Entrant entrant : block.entrants()) {
            SimulatedRacer racer = transfer.hostOf(entrant.racer());
            if (!told.contains(racer)) {
                told.add(racer);
                transfer.links.send(PLACE, racer.place, () -> racer.post(event));
            }
        }
    }

    private void grant(SimulatedRelay relay) {
        transfer.links.send(
                PLACE, relay.sender.place, () -> relay.sender.whenRunning(() -> relay.sender.sendLeaf(relay)));
    }

    /** A racer opens a relay. */
    void offer(SimulatedRacer sender, AttemptId attempt, Block block) {
        SimulatedRelay relay = transfer.newRelay(nextRelay++, sender, attempt, block);
        relays.put(relay.number, relay);
        post(sender, new DeliveryEvent.Offered(relay.number, block.id(), attempt.racer()));
    }

    void reportLost(SimulatedRacer sender, RaceCommand.ReportLost lost) {
        post(sender, new DeliveryEvent.Lost(lost.block(), lost.self(), lost.winner()));
    }

    void reportForfeited(SimulatedRacer sender, RaceCommand.ReportForfeited forfeited) {
        post(sender, new DeliveryEvent.Forfeited(forfeited.block(), forfeited.self(), forfeited.code()));
    }

    void report(SimulatedRacer sender, AttemptId attempt, AttemptStage stage, long bytes) {
        post(sender, new DeliveryEvent.Attempted(attempt.block(), attempt.racer(), attempt.number(), stage, bytes));
    }

    void reportWaits(SimulatedRacer sender, AttemptId attempt) {
        post(sender, new DeliveryEvent.Waits(attempt.block(), attempt.racer()));
    }

    private void post(SimulatedRacer sender, DeliveryEvent event) {
        transfer.links.send(sender.place, PLACE, () -> handle(event));
    }

    /** A relay's connection breaks. */
    void relayBreaks(SimulatedRelay relay) {
        transfer.links.send(relay.sender.place, PLACE, () -> {
            if (!relay.closed) {
                relay.closed = true;
                handle(new DeliveryEvent.RelayFailed(relay.number, ErrorCode.HELPER_UNAVAILABLE));
            }
        });
    }

    /** The relays of an attempt end with it. */
    void attemptFailed(SimulatedRacer sender, AttemptId attempt) {
        for (SimulatedRelay relay : List.copyOf(relays.values())) {
            if (relay.sender == sender && relay.attempt.equals(attempt) && !relay.closed) {
                relayBreaks(relay);
            }
        }
    }

    /** A process is seen to be gone: its relays break, its control stream ends, in whatever order. */
    void departed(SimulatedRacer sender, boolean relaysFirst) {
        RacerId rank = sender.ranks.iterator().next();
        if (!relaysFirst) {
            handle(new DeliveryEvent.RacerGone(rank));
        }
        for (SimulatedRelay relay : List.copyOf(relays.values())) {
            if (relay.sender == sender && !relay.closed) {
                relay.closed = true;
                handle(new DeliveryEvent.RelayFailed(relay.number, ErrorCode.HELPER_UNAVAILABLE));
            }
        }
        if (relaysFirst) {
            handle(new DeliveryEvent.RacerGone(rank));
        }
    }

    /** A leaf arrives. Before its turn it is verified, and waits. */
    void leaf(SimulatedRelay relay, long token) {
        if (relay.closed || transfer.isOver()) {
            return;
        }
        if (relay.accepted && relay.early.isEmpty()) {
            if (take(relay, token)) {
                grantOrWithhold(relay);
            }
            return;
        }
        if (!isRight(relay, relay.taken + relay.early.size(), token)) {
            return;
        }
        relay.early.add(token);
        if (!relay.isAllHere()) {
            grant(relay);
        }
    }

    private boolean isRight(SimulatedRelay relay, int number, long token) {
        boolean right = token == SimulatedTransfer.token(relay.block.chunkIndex(), relay.firstLeaf() + number);
        if (!right) {
            handle(new DeliveryEvent.LeafCorrupt(relay.number));
        }
        return right;
    }

    private void takeEarly(SimulatedRelay relay) {
        while (!relay.early.isEmpty() && !relay.closed && !transfer.isOver()) {
            take(relay, relay.early.remove());
        }
    }

    /** Verifies, hands on and counts a leaf; returns whether more are to come. */
    private boolean take(SimulatedRelay relay, long token) {
        if (relay.isThrough()) {
            relay.closed = true; // it was shortened while this leaf was under way
            return false;
        }
        if (!isRight(relay, relay.taken, token)) {
            return false;
        }
        int leaf = relay.firstLeaf() + relay.taken;
        boolean wanted = relay.isNextWanted();
        if (wanted) {
            transfer.invariants.handedOn(relay, leaf, token);
        }
        relay.taken++;
        boolean last = relay.isThrough();
        relay.closed = last;
        if (wanted) {
            handle(new DeliveryEvent.LeafDelivered(relay.number));
        }
        return !last && !relay.closed;
    }

    private void grantOrWithhold(SimulatedRelay relay) {
        if (transfer.stores.happens(settings.faults().slowReader())) {
            handle(new DeliveryEvent.CreditWithheld(relay.number));
            clock.after(transfer.random.nextLong(LONGEST_READER_NAP_NANOS), () -> {
                handle(new DeliveryEvent.CreditGranted(relay.number));
                grant(relay);
            });
        } else {
            grant(relay);
        }
    }
}

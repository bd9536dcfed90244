package io.cloudmw.core.testing;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * A whole transfer in virtual time, on one thread: racers, the stores they read and the destination, with the links
 * between them and all their faults. The invariants of the race are checked after every event. The same settings
 * always give the same transfer.
 */
public final class SimulatedTransfer {
    private static final long MAX_STEPS = 3_000_000;
    private static final long LONGEST_PAUSE_NANOS = 30_000_000_000L;
    private static final long FAULTS_WITHIN_NANOS = 3_000_000_000L;

    final SimulationSettings settings;
    final VirtualClock clock = new VirtualClock();
    final RandomGenerator random;
    final SimulatedLinks links;
    final SimulatedStores stores;
    final RaceInvariants invariants;
    final SimulatedDestination destination;

    private final Function<Set<RacerId>, RacerMachine> racerMachines;
    private final List<SimulatedRacer> helpers = new ArrayList<>();
    private final Map<RacerId, SimulatedRacer> hosts = new HashMap<>();
    private boolean over;
    private boolean complete;
    private boolean racedLocally;

    /** A transfer driven by the real state machines. */
    public SimulatedTransfer(SimulationSettings settings) {
        this(settings, local -> RacerMachine.of(new RecordedRace(settings.race(), local)), DestinationMachine::of);
    }

    /** A transfer driven by other machines, so that the invariants catch them. */
    public SimulatedTransfer(
            SimulationSettings settings,
            Function<Set<RacerId>, RacerMachine> racerMachines,
            Function<RecordedDelivery, DestinationMachine> destinationMachine) {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed() ^ 0x5eed);
        this.links = new SimulatedLinks(clock, random);
        this.stores = new SimulatedStores(settings, random, random.nextInt(Math.max(1, settings.helpers())));
        this.invariants = new RaceInvariants(settings, clock, helpers);
        this.racerMachines = racerMachines;
        LaneLayout lanes = settings.lanes();
        Set<RacerId> reachable = new TreeSet<>();
        for (int rank = 0; rank < settings.helpers(); rank++) {
            reachable.add(new RacerId(rank));
            helpers.add(host(rank, Set.copyOf(lanes.of(rank))));
        }
        RecordedDelivery delivery = new RecordedDelivery(
                settings.delivery(), lanes, reachable, settings.speeds(), new RedundancyBudget(settings.budget()));
        this.destination = new SimulatedDestination(destinationMachine.apply(delivery), this);
    }

    /**
     * Runs it to its end.
     *
     * @throws AssertionError when an invariant does not hold, naming the settings that repeat it
     */
    public SimulationResult run() {
        long steps = 0;
        try {
            helpers.forEach(this::scheduleFaults);
            scheduleCuts();
            destination.plan();
            while (!over && steps < MAX_STEPS && clock.step()) {
                steps++;
            }
            invariants.ended(over, complete, steps);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "at " + clock.nanos() + " ns: " + e.getMessage() + "\nrepeat with " + settings + "\nlast events:\n"
                            + invariants.trace(),
                    e);
        }
        return invariants.result(complete, steps, racedLocally);
    }

    /** The right content of a leaf. */
    static long token(long chunk, int leaf) {
        return (chunk + 1) * 1_000_003 + leaf;
    }

    boolean isOver() {
        return over;
    }

    void end(boolean successfully) {
        over = true;
        complete = successfully;
    }

    SimulatedRacer hostOf(RacerId racer) {
        SimulatedRacer host = hosts.get(racer);
        if (host == null) {
            throw new AssertionError("a command about " + racer + ", who does not exist");
        }
        return host;
    }

    /** Sends a message between racers. */
    void tell(SimulatedRacer from, RacerId rival, RaceEvent event) {
        SimulatedRacer to = hostOf(rival);
        links.send(from.place, to.place, () -> to.post(event));
    }

    /** The client's own racers, one per replica and so many to spare. */
    List<RacerId> startLocalRacers(int spare) {
        racedLocally = true;
        List<RacerId> ranks = new ArrayList<>();
        for (int i = 0; i < settings.replicas() + spare; i++) {
            ranks.add(new RacerId(settings.helpers() * settings.lanes().perHelper() + i));
        }
        host(settings.helpers(), new TreeSet<>(ranks));
        return ranks;
    }

    SimulatedRelay newRelay(long number, SimulatedRacer sender, AttemptId attempt, Block block) {
        SimulatedFaults faults = settings.faults();
        SimulatedRelay.Fate fate = SimulatedRelay.Fate.SOUND;
        boolean local = sender.place >= settings.helpers();
        if (!stores.isSafe(sender.place) && !local) {
            if (stores.happens(faults.brokenRelay())) {
                fate = SimulatedRelay.Fate.BREAKS;
            } else if (stores.happens(faults.stalledRelay())) {
                fate = SimulatedRelay.Fate.STALLS;
            } else if (stores.happens(faults.corruptRelay())) {
                fate = SimulatedRelay.Fate.CORRUPTS;
            }
        }
        int leaves = (int) (block.range().length() / SimulationSettings.LEAF_BYTES);
        return new SimulatedRelay(number, sender, attempt, block, fate, random.nextInt(leaves));
    }

    /** The destination closes everything to a racer and tells the others. */
    void abandon(RacerId racer) {
        SimulatedRacer abandoned = hostOf(racer);
        invariants.abandoned(abandoned);
        links.cut(SimulatedDestination.PLACE, abandoned.place);
        for (SimulatedRacer helper : helpers) {
            if (helper != abandoned) {
                links.send(SimulatedDestination.PLACE, helper.place, () -> departed(abandoned, helper));
            }
        }
        clock.after(SimulatedLinks.MAX_DELAY_NANOS, () -> abandoned.whenRunning(abandoned::die));
    }

    private SimulatedRacer host(int place, Set<RacerId> ranks) {
        SimulatedRacer host = new SimulatedRacer(place, ranks, racerMachines.apply(ranks), this);
        ranks.forEach(rank -> hosts.put(rank, host));
        return host;
    }

    private void scheduleFaults(SimulatedRacer helper) {
        if (stores.isSafe(helper.place)) {
            return;
        }
        if (stores.happens(settings.faults().killed())) {
            clock.after(random.nextLong(FAULTS_WITHIN_NANOS), () -> kill(helper));
        }
        if (stores.happens(settings.faults().paused())) {
            clock.after(random.nextLong(FAULTS_WITHIN_NANOS), helper::pause);
            if (random.nextBoolean()) {
                clock.after(FAULTS_WITHIN_NANOS + random.nextLong(LONGEST_PAUSE_NANOS), helper::resume);
            }
        }
    }

    private void kill(SimulatedRacer helper) {
        helper.die();
        boolean relaysFirst = random.nextBoolean();
        links.send(helper.place, SimulatedDestination.PLACE, () -> destination.departed(helper, relaysFirst));
        for (SimulatedRacer other : helpers) {
            if (other != helper) {
                links.send(helper.place, other.place, () -> departed(helper, other));
            }
        }
    }

    private void scheduleCuts() {
        for (SimulatedRacer one : helpers) {
            for (SimulatedRacer other : helpers) {
                if (one.place < other.place && stores.happens(settings.faults().cut())) {
                    clock.after(random.nextLong(FAULTS_WITHIN_NANOS), () -> cut(one, other));
                }
            }
        }
    }

    private void cut(SimulatedRacer one, SimulatedRacer other) {
        links.cut(one.place, other.place);
        departed(other, one);
        departed(one, other);
    }

    /** Tells a helper that another is gone, with all of its lanes. */
    private static void departed(SimulatedRacer gone, SimulatedRacer hears) {
        new TreeSet<>(gone.ranks).forEach(rank -> hears.post(new RaceEvent.RivalGone(rank)));
    }
}

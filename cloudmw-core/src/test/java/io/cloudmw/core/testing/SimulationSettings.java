package io.cloudmw.core.testing;

import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import java.util.SplittableRandom;

/**
 * The settings of a simulated transfer, which determine everything in it.
 *
 * @param helpers helpers, each with as many racers as the mode has lanes; 0: the client races alone
 * @param replicas k of every chunk
 * @param rotate whether entrants swap replicas from chunk to chunk
 * @param threads attempts a helper runs at once; more wait
 * @param informed whether the destination knows the stores' usual speed from the beginning
 * @param safe the process spared all faults, together with one replica of every chunk: invariant 3 then promises the
 *     end
 */
public record SimulationSettings(
        long seed,
        Mode mode,
        int helpers,
        int replicas,
        int chunks,
        int leavesPerChunk,
        boolean rotate,
        int threads,
        boolean informed,
        RacePolicy race,
        DeliveryPolicy delivery,
        RedundancyLimits budget,
        SimulatedFaults faults,
        Safe safe) {
    public static final int LEAF_BYTES = 256 << 10;

    /** The process that keeps a live path to a replica of every chunk. */
    public enum Safe {
        /** A helper. */
        HELPER,
        /** The client's own racers. */
        CLIENT,
        /** None: the transfer may fail, but must end. */
        NOBODY
    }

    private static final SpeedEstimate USUAL = new SpeedEstimate(1_000_000, 20_000_000, 20e6, 4e6);

    /** A transfer on which nothing fails, with racers so alike that ties are common. */
    public static SimulationSettings faultless(Mode mode, long seed) {
        return random(mode, seed, SimulatedFaults.NONE, Safe.HELPER);
    }

    /** A transfer with every kind of fault, more or less often. */
    public static SimulationSettings faulty(Mode mode, long seed) {
        SimulatedFaults faults = seed % 3 == 0 ? SimulatedFaults.MANY : SimulatedFaults.SOME;
        Safe safe = seed % 10 == 7 ? Safe.NOBODY : seed % 5 == 1 ? Safe.CLIENT : Safe.HELPER;
        return random(mode, seed, faults, safe);
    }

    private static SimulationSettings random(Mode mode, long seed, SimulatedFaults faults, Safe safe) {
        SplittableRandom random = new SplittableRandom(seed);
        int replicas = random.nextInt(1, 5);
        int helpers = safe == Safe.HELPER ? replicas + random.nextInt(0, 2) : random.nextInt(0, replicas + 1);
        boolean inOrder = random.nextBoolean();
        int chunks = random.nextInt(1, 12);
        int leaves = random.nextInt(1, 7);
        boolean rotate = random.nextBoolean();
        ModePolicy policy = small(mode, random);
        return new SimulationSettings(
                seed,
                mode,
                helpers,
                replicas,
                chunks,
                leaves,
                rotate,
                random.nextInt(3) == 0 ? random.nextInt(1, 4) : Integer.MAX_VALUE,
                random.nextBoolean(),
                RacePolicy.rounds(),
                new DeliveryPolicy(policy, DeliveryPolicy.Patience.DEFAULT, inOrder),
                new RedundancyLimits(0.05, random.nextInt(0, 5), random.nextInt(0, 13) * (long) LEAF_BYTES),
                faults,
                safe);
    }

    /** The mode with blocks and windows that fit transfers of a few leaves. */
    private static ModePolicy small(Mode mode, SplittableRandom random) {
        ModePolicy policy = ModePolicy.of(mode, false);
        if (policy.blocks().blockBytes() == Long.MAX_VALUE) {
            return policy;
        }
        long block = random.nextLong(1, 5) * LEAF_BYTES;
        ModePolicy.Lineup lineup = policy.lineup();
        return new ModePolicy(
                new ModePolicy.Blocks(block, random.nextInt(2, 24), block * random.nextInt(2, 24)),
                new ModePolicy.Lineup(
                        lineup.entrants(),
                        lineup.racers(),
                        random.nextInt(1, 4),
                        random.nextInt(0, 3),
                        random.nextInt(1, lineup.queuePerLane() + 1),
                        lineup.tied()),
                policy.extras());
    }

    /** Attempts that the process at this place runs at once. */
    int threadsOf(int place) {
        return place < helpers ? threads : Integer.MAX_VALUE;
    }

    boolean inOrder() {
        return delivery.inOrder();
    }

    LaneLayout lanes() {
        return delivery.mode().lanes(helpers);
    }

    /** The process that hosts a racer: a helper's rank; the number of helpers for the client. */
    int placeOf(RacerId racer) {
        return lanes().isHelpers(racer) ? lanes().helper(racer) : helpers;
    }

    SpeedEstimates speeds() {
        return informed ? (store, helper, bytes) -> USUAL : SpeedEstimates.UNKNOWN;
    }

    /** The same transfer with other faults. */
    public SimulationSettings with(SimulatedFaults other) {
        return with(delivery, other);
    }

    /** The same with a destination that takes bytes in any order. */
    public SimulationSettings inAnyOrder() {
        return with(new DeliveryPolicy(delivery.mode(), delivery.patience(), false), faults);
    }

    /** The same with own racers of the client that it may use beside the helpers. */
    public SimulationSettings directly(DirectUse use) {
        return with(delivery.withDirect(new DirectPolicy(use, 1 + (int) (seed % 3))), faults);
    }

    private SimulationSettings with(DeliveryPolicy otherDelivery, SimulatedFaults otherFaults) {
        return new SimulationSettings(
                seed,
                mode,
                helpers,
                replicas,
                chunks,
                leavesPerChunk,
                rotate,
                threads,
                informed,
                race,
                otherDelivery,
                budget,
                otherFaults,
                safe);
    }
}

package io.cloudmw.core.testing;

import io.cloudmw.core.race.DeliveryPolicy;
import io.cloudmw.core.race.RacePolicy;
import java.util.SplittableRandom;

/**
 * One simulated transfer. Everything that happens in it follows from this value.
 *
 * @param helpers racers at helpers; 0: the client races alone
 * @param replicas k of every chunk
 * @param rotate whether entrants swap replicas from chunk to chunk
 * @param safe who is spared all faults, together with one replica of every chunk: invariant 3 then promises the end
 */
public record SimulationSettings(
        long seed,
        int helpers,
        int replicas,
        int chunks,
        int leavesPerChunk,
        boolean inOrder,
        boolean rotate,
        RacePolicy race,
        DeliveryPolicy delivery,
        SimulatedFaults faults,
        Safe safe) {
    public static final int LEAF_BYTES = 256 << 10;

    /** Who keeps a live path to a replica of every chunk. */
    public enum Safe {
        /** One helper. */
        HELPER,
        /** The client's own racers. */
        CLIENT,
        /** Nobody: the transfer may fail, but must end. */
        NOBODY
    }

    /** A transfer on which nothing fails, with racers so alike that ties are common. */
    public static SimulationSettings faultless(long seed) {
        return random(seed, SimulatedFaults.NONE, Safe.HELPER);
    }

    /** A transfer on which whatever can fail does, more or less often. */
    public static SimulationSettings faulty(long seed) {
        SimulatedFaults faults = seed % 3 == 0 ? SimulatedFaults.MANY : SimulatedFaults.SOME;
        Safe safe = seed % 10 == 7 ? Safe.NOBODY : seed % 5 == 1 ? Safe.CLIENT : Safe.HELPER;
        return random(seed, faults, safe);
    }

    private static SimulationSettings random(long seed, SimulatedFaults faults, Safe safe) {
        SplittableRandom random = new SplittableRandom(seed);
        int replicas = random.nextInt(1, 5);
        int helpers = safe == Safe.HELPER ? replicas + random.nextInt(0, 2) : random.nextInt(0, replicas + 1);
        boolean inOrder = random.nextBoolean();
        return new SimulationSettings(
                seed,
                helpers,
                replicas,
                random.nextInt(1, 12),
                random.nextInt(1, 7),
                inOrder,
                random.nextBoolean(),
                RacePolicy.rounds(),
                DeliveryPolicy.of(inOrder),
                faults,
                safe);
    }

    /** The same transfer with other faults. */
    public SimulationSettings with(SimulatedFaults other) {
        return new SimulationSettings(
                seed, helpers, replicas, chunks, leavesPerChunk, inOrder, rotate, race, delivery, other, safe);
    }
}

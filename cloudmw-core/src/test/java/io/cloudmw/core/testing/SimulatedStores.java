package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The replicas of every chunk, as fast and as sound as the settings and the seed make them. */
final class SimulatedStores {
    private static final long READ_TIMEOUT_NANOS = 10_000_000_000L;
    private static final double BYTES_PER_NANO = 0.02;

    private record Path(int racer, int replica) {}

    private final SimulationSettings settings;
    private final RandomGenerator random;
    private final int safeHelper;
    private final Map<Path, Double> rates = new HashMap<>();
    private final int[] safeReplicas;
    private final @Nullable ErrorCode[][] defects;

    SimulatedStores(SimulationSettings settings, RandomGenerator random, int safeHelper) {
        this.settings = settings;
        this.random = random;
        this.safeHelper = safeHelper;
        this.safeReplicas = new int[settings.chunks()];
        this.defects = new @Nullable ErrorCode[settings.chunks()][settings.replicas()];
        for (int chunk = 0; chunk < settings.chunks(); chunk++) {
            safeReplicas[chunk] = random.nextInt(settings.replicas());
            for (int replica = 0; replica < settings.replicas(); replica++) {
                if (settings.safe() == SimulationSettings.Safe.NOBODY || replica != safeReplicas[chunk]) {
                    defects[chunk][replica] = defect();
                }
            }
        }
    }

    private @Nullable ErrorCode defect() {
        if (happens(settings.faults().missing())) {
            return ErrorCode.REPLICA_MISSING;
        }
        return happens(settings.faults().corrupt()) ? ErrorCode.REPLICA_CORRUPT : null;
    }

    /** Returns whether the process at this place is spared all faults. */
    boolean isSafe(int place) {
        return switch (settings.safe()) {
            case HELPER -> place == safeHelper;
            case CLIENT -> place == settings.helpers();
            case NOBODY -> false;
        };
    }

    SimulatedFetch fetch(AttemptId attempt, Block block, int replica, long nowNanos) {
        long length = block.range().length();
        int chunk = (int) block.chunkIndex();
        int racer = settings.placeOf(attempt.racer());
        long whole = (long) (length / rate(racer, replica)) + random.nextLong(1_000_000);
        long part = random.nextLong(length);
        long partly = 1_000_000 + whole * part / length;
        ErrorCode defect = defects[chunk][replica];
        if (defect == ErrorCode.REPLICA_MISSING) {
            return new SimulatedFetch(attempt, block, nowNanos, 5_000_000, 5_000_000, defect, 0);
        }
        if (defect != null) {
            return new SimulatedFetch(attempt, block, nowNanos, partly, partly, defect, part);
        }
        boolean spared = isSafe(racer) && replica == safeReplicas[chunk];
        if (!spared && happens(settings.faults().dropped())) {
            // The first code allows a second try at the same replica, the other does not.
            ErrorCode code = random.nextBoolean() ? ErrorCode.STORE_UNAVAILABLE : ErrorCode.QUORUM_NOT_MET;
            return new SimulatedFetch(attempt, block, nowNanos, partly, partly, code, part);
        }
        if (!spared && happens(settings.faults().stalled())) {
            long end = partly + READ_TIMEOUT_NANOS;
            return new SimulatedFetch(attempt, block, nowNanos, partly, end, ErrorCode.STORE_UNAVAILABLE, part);
        }
        return new SimulatedFetch(attempt, block, nowNanos, whole, whole, null, 0);
    }

    boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    private double rate(int racer, int replica) {
        return rates.computeIfAbsent(new Path(racer, replica), unused -> {
            double usual = BYTES_PER_NANO * (random.nextBoolean() ? 1 : random.nextDouble(0.2, 2));
            return happens(settings.faults().slow()) ? usual / 100 : usual;
        });
    }
}

package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.testing.VirtualClock;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Messages between the processes of a fleet: each direction of a connection in order, a lost message late by a
 * retransmission, and none through a partition while it lasts. Processes are numbered by the caller; {@link #CLIENT} is
 * every transfer's own destination.
 */
final class FleetNetwork {
    static final int CLIENT = -1;

    /** The processes that are cut off, and for how long. */
    interface Partitions {
        /** The earliest time when a message sent now arrives. */
        long openAtNanos(int one, int other, long nowNanos);
    }

    private static final long RETRANSMISSION_NANOS = 200_000_000;
    private static final long DELAY_NANOS = 250_000;

    private record Direction(int from, int to) {}

    private final VirtualClock clock;
    private final RandomGenerator random;
    private final double loss;
    private final Partitions partitions;
    private final Map<Direction, Long> lastNanos = new HashMap<>();

    FleetNetwork(VirtualClock clock, RandomGenerator random, double loss, Partitions partitions) {
        this.clock = clock;
        this.random = random;
        this.loss = loss;
        this.partitions = partitions;
    }

    /** The earliest time when a message sent now arrives. */
    long openAtNanos(int one, int other) {
        return partitions.openAtNanos(one, other, clock.nanos());
    }

    void send(int from, int to, Runnable message) {
        long now = clock.nanos();
        if (from == to) {
            clock.after(0, message);
            return;
        }
        long at = Math.max(now, partitions.openAtNanos(from, to, now))
                + DELAY_NANOS
                + random.nextLong(DELAY_NANOS)
                + (random.nextDouble() < loss ? RETRANSMISSION_NANOS : 0);
        at = Math.max(at, lastNanos.merge(new Direction(from, to), at, Math::max));
        clock.after(at - now, message);
    }
}

package io.cloudmw.core.testing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Links between numbered places. Each direction delivers in order, late by a random delay. A link that was cut
 * delivers nothing any more, not even messages under way.
 */
final class SimulatedLinks {
    static final long MAX_DELAY_NANOS = 20_000_000;
    private static final long MIN_DELAY_NANOS = 100_000;

    private record Direction(int from, int to) {}

    private final VirtualClock clock;
    private final RandomGenerator random;
    private final Map<Direction, Long> lastNanos = new HashMap<>();
    private final Set<Direction> cut = new HashSet<>();

    SimulatedLinks(VirtualClock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    void send(int from, int to, Runnable message) {
        Direction direction = new Direction(from, to);
        long at = clock.nanos() + random.nextLong(MIN_DELAY_NANOS, MAX_DELAY_NANOS);
        at = Math.max(at, lastNanos.getOrDefault(direction, 0L));
        lastNanos.put(direction, at);
        clock.after(at - clock.nanos(), () -> {
            if (!cut.contains(direction)) {
                message.run();
            }
        });
    }

    void cut(int one, int other) {
        cut.add(new Direction(one, other));
        cut.add(new Direction(other, one));
    }

    boolean isCut(int one, int other) {
        return cut.contains(new Direction(one, other));
    }
}

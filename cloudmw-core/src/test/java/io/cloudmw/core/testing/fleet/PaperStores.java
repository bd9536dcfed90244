package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.testing.VirtualClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Stores as the CloudMW paper measured them: each has one of the twenty rates of Table 2, drawn anew every 10 s, and in
 * 2% of the draws 1 MB/s instead. Attempts at one store share its rate.
 */
public final class PaperStores implements StoreModel {
    private static final double[] MB_PER_SECOND = {
        12.3, 14.0, 10.5, 13.3, 9.85, 12.8, 14.8, 13.3, 10.5, 10.8, 12.2, 12.0, 20.1, 18.6, 14.6, 12.2, 16.8, 11.4,
        11.3, 10.0
    };
    private static final long STEP_NANOS = 10_000_000_000L;
    private static final double STALLED = 0.02;

    private final VirtualClock clock;
    private final long seed;
    private final Map<Integer, Server> servers = new HashMap<>();
    private final Map<Integer, List<Double>> rates = new HashMap<>();
    private final Map<Integer, RandomGenerator> randoms = new HashMap<>();

    public PaperStores(VirtualClock clock, long seed) {
        this.clock = clock;
        this.seed = seed;
    }

    @Override
    public Reading open(int store) {
        Server server = servers.computeIfAbsent(store, unused -> new Server(clock, at -> rate(store, at), STEP_NANOS));
        return new Reading() {
            private boolean closed;

            @Override
            public void next(long bytes, Runnable arrived) {
                server.serve(bytes, () -> {
                    if (!closed) {
                        arrived.run();
                    }
                });
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }

    private double rate(int store, long atNanos) {
        List<Double> drawn = rates.computeIfAbsent(store, unused -> new ArrayList<>());
        RandomGenerator random =
                randoms.computeIfAbsent(store, unused -> new SplittableRandom(seed * 1_000_003 + store));
        while (drawn.size() <= atNanos / STEP_NANOS) {
            double rate = MB_PER_SECOND[random.nextInt(MB_PER_SECOND.length)];
            drawn.add((random.nextDouble() < STALLED ? 1 : rate) * 1e6 / 1e9);
        }
        return drawn.get((int) (atNanos / STEP_NANOS));
    }
}

package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.testing.VirtualClock;
import java.util.random.RandomGenerator;

/**
 * Stores with a tail, like S3's. The first byte takes a log-normal time (median 30 ms, 99th percentile 200 ms), and
 * each attempt has 90 MB/s. 0.3% of the attempts pause for 5 s, before the first byte or anywhere after it.
 */
public final class TailStores implements StoreModel {
    /** The factor by which a store is slower than usual. */
    @FunctionalInterface
    public interface Weather {
        double slowdown(int store, long nowNanos);
    }

    private static final double MEDIAN_NANOS = 30e6;
    private static final double SIGMA = Math.log(200.0 / 30) / 2.3263;
    private static final double BYTES_PER_NANO = 0.09;
    private static final double PAUSED = 0.003;
    private static final long PAUSE_NANOS = 5_000_000_000L;
    private static final int PAUSE_WITHIN_LEAVES = 8;

    private final VirtualClock clock;
    private final RandomGenerator random;
    private final Weather weather;

    public TailStores(VirtualClock clock, RandomGenerator random, Weather weather) {
        this.clock = clock;
        this.random = random;
        this.weather = weather;
    }

    @Override
    public Reading open(int store) {
        boolean paused = random.nextDouble() < PAUSED;
        int pausedLeaf = paused ? (random.nextBoolean() ? 0 : random.nextInt(PAUSE_WITHIN_LEAVES)) : -1;
        double firstByte = MEDIAN_NANOS * Math.exp(SIGMA * random.nextGaussian());
        return new Reading() {
            private int leaf;
            private boolean closed;

            @Override
            public void next(long bytes, Runnable arrived) {
                double slower = weather.slowdown(store, clock.nanos());
                double takes = slower * (bytes / BYTES_PER_NANO + (leaf == 0 ? firstByte : 0));
                long pause = leaf == pausedLeaf ? PAUSE_NANOS : 0;
                leaf++;
                clock.after((long) takes + pause, () -> {
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
}

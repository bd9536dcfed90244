package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.testing.VirtualClock;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Helpers, stores and the network between them, in one virtual time. */
public final class SimulatedFleet {
    /** The silence after which both sides close a connection. */
    static final long KEEP_ALIVE_NANOS = 5_000_000_000L;

    private static final long PERIOD_NANOS = 20_000_000_000L;

    final VirtualClock clock;
    final RandomGenerator random;
    final StoreModel stores;
    final FleetNetwork network;
    final FleetSpeeds speeds = new FleetSpeeds();
    final FleetSettings settings;

    public SimulatedFleet(FleetSettings settings, long seed) {
        this.settings = settings;
        this.clock = new VirtualClock();
        this.random = new SplittableRandom(seed);
        this.stores = settings.stores() == FleetSettings.Stores.PAPER
                ? new PaperStores(clock, seed)
                : new TailStores(clock, new SplittableRandom(seed + 1), this::slowdown);
        this.network = new FleetNetwork(clock, random, settings.loss(), this::openAtNanos);
    }

    public VirtualClock clock() {
        return clock;
    }

    /** The speed of a process's clock: up to 0.5% too slow or too fast. */
    double drift(int process) {
        return settings.isSkewed() ? 1 + (Math.floorMod(process, 11) - 5) / 1000.0 : 1;
    }

    /**
     * Correlated slowdowns: in every 20 s one store in 50 is ten times slower for some of it. So is, in one of four
     * such periods, every store of one region.
     */
    private double slowdown(int store, long nowNanos) {
        double everywhere = nowNanos >= settings.allSlowFromNanos() ? 10 : 1;
        if (!settings.isStormy()) {
            return everywhere;
        }
        long period = nowNanos / PERIOD_NANOS;
        boolean during = nowNanos % PERIOD_NANOS < PERIOD_NANOS / 3;
        boolean one = Math.floorMod(store * 31L + period * 17, 50) == 0;
        boolean region = period % 4 == 1 && store % FleetSettings.REGIONS == period % FleetSettings.REGIONS;
        return during && (one || region) ? 10 * everywhere : everywhere;
    }

    /** Partitions: in every 20 s one region of helpers is cut off from all others, for 2 s or 12 s. */
    private long openAtNanos(int one, int other, long nowNanos) {
        if (!settings.isStormy()) {
            return nowNanos;
        }
        long period = nowNanos / PERIOD_NANOS;
        long cutOff = period % FleetSettings.REGIONS;
        boolean apart = region(one) != region(other) && (region(one) == cutOff || region(other) == cutOff);
        long ends = period * PERIOD_NANOS + (period % 2 == 0 ? 2_000_000_000L : 12_000_000_000L);
        return apart ? Math.max(nowNanos, ends) : nowNanos;
    }

    private static long region(int process) {
        return process == FleetNetwork.CLIENT ? -1 : process % FleetSettings.REGIONS;
    }
}

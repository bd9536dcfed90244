package io.cloudmw.core.emulation;

import java.util.SplittableRandom;

/** Where random numbers come from: a generator for every (seed, index), so that a draw depends on nothing else. */
final class IndexedRandom {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private IndexedRandom() {}

    static SplittableRandom at(long seed, long index) {
        return new SplittableRandom(mix(mix(seed) + index));
    }

    /** Seeds of a family that are far apart although their indices are neighbours. */
    static long mix(long value) {
        return new SplittableRandom(value * GOLDEN_GAMMA).nextLong();
    }
}

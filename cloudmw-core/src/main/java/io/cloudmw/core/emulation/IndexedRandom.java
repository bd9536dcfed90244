package io.cloudmw.core.emulation;

import java.util.SplittableRandom;

/** The source of random numbers: a generator for every (seed, index), so that a draw depends on nothing else. */
final class IndexedRandom {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private IndexedRandom() {}

    static SplittableRandom at(long seed, long index) {
        return new SplittableRandom(mix(mix(seed) + index));
    }

    /** Spreads the seeds of a family, so that neighbouring indices have distant seeds. */
    static long mix(long value) {
        return new SplittableRandom(value * GOLDEN_GAMMA).nextLong();
    }
}

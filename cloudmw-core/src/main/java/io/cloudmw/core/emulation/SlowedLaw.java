package io.cloudmw.core.emulation;

import java.time.Duration;

/** Another law, and from a moment on a store that is slow as a whole: late first bytes and low speeds, each. */
record SlowedLaw(StoreLaw law, Duration after, double factor) implements StoreLaw {
    /** What a slow store is unless said otherwise. */
    static final double FACTOR = 10;

    SlowedLaw {
        if (after.isNegative()) {
            throw new IllegalArgumentException("after: " + after + " (expected: >= 0)");
        }
        if (!(factor >= 1)) {
            throw new IllegalArgumentException("factor: " + factor + " (expected: >= 1)");
        }
    }

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        long speed = law.bytesPerSecondAt(sinceStartNanos);
        return slow(sinceStartNanos) ? Math.max(1, (long) (speed / factor)) : speed;
    }

    @Override
    public ResponseTiming answer(long request, long sinceStartNanos) {
        ResponseTiming answer = law.answer(request, sinceStartNanos);
        return slow(sinceStartNanos)
                ? new ResponseTiming((long) (answer.firstByteNanos() * factor), answer.stallAt(), answer.stallNanos())
                : answer;
    }

    private boolean slow(long sinceStartNanos) {
        return sinceStartNanos >= after.toNanos();
    }

    @Override
    public boolean shared() {
        return law.shared();
    }

    @Override
    public StoreLaw withSeed(long seed) {
        return new SlowedLaw(law.withSeed(seed), after, factor);
    }
}

package io.cloudmw.core.emulation;

import java.time.Duration;

/** A law that from a moment on makes the whole store slow: later first bytes and lower speeds. */
record SlowedLaw(StoreLaw law, Duration after, double factor) implements StoreLaw {
    /** The usual factor of a slow store. */
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

package io.cloudmw.core.emulation;

/** A law on a clock that runs {@code timeScale} times as fast. */
record FasterLaw(StoreLaw law, double timeScale) implements StoreLaw {
    static final double MAX_SCALE = 1000;

    FasterLaw {
        if (!(timeScale >= 1 / MAX_SCALE && timeScale <= MAX_SCALE)) {
            throw new IllegalArgumentException("timeScale: " + timeScale + " (expected: 0.001..1000)");
        }
    }

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        return Math.max(1, (long) (law.bytesPerSecondAt(emulated(sinceStartNanos)) * timeScale));
    }

    @Override
    public ResponseTiming answer(long request, long sinceStartNanos) {
        return law.answer(request, emulated(sinceStartNanos)).stretched(1 / timeScale);
    }

    private long emulated(long nanos) {
        return (long) (nanos * timeScale);
    }

    @Override
    public boolean shared() {
        return law.shared();
    }

    @Override
    public StoreLaw withSeed(long seed) {
        return new FasterLaw(law.withSeed(seed), timeScale);
    }
}

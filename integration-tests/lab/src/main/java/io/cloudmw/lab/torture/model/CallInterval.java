package io.cloudmw.lab.torture.model;

/** The interval from a call to its answer, in nanoseconds of the run's clock. */
public record CallInterval(long from, long to) {
    public CallInterval {
        if (to < from) {
            throw new IllegalArgumentException("[" + from + ", " + to + "] (expected: forwards)");
        }
    }
}

package io.cloudmw.lab.torture.model;

/** From asking to the answer, in nanoseconds of the run's ticker. */
public record CallInterval(long from, long to) {
    public CallInterval {
        if (to < from) {
            throw new IllegalArgumentException("[" + from + ", " + to + "] (expected: forwards)");
        }
    }
}

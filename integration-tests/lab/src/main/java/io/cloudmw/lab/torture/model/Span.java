package io.cloudmw.lab.torture.model;

/** From asking to the answer, in nanoseconds of the run's ticker. */
public record Span(long from, long to) {
    public Span {
        if (to < from) {
            throw new IllegalArgumentException("[" + from + ", " + to + "] (expected: forwards)");
        }
    }
}

package io.cloudmw.lab.torture.network;

/** Two parties that talk to each other, by name, in no order. */
public record Pair(String one, String other) {
    public Pair {
        if (one.compareTo(other) > 0) {
            String first = other;
            other = one;
            one = first;
        }
    }

    @Override
    public String toString() {
        return one + " and " + other;
    }
}

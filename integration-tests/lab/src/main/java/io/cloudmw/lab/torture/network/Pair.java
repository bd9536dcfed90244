package io.cloudmw.lab.torture.network;

/** An unordered pair of parties, by name. */
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

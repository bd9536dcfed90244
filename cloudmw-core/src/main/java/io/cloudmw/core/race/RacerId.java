package io.cloudmw.core.race;

/**
 * The rank of a racer in its transfer, from 0. A racer is one lane of a helper, or one of the client's own lanes; it
 * runs one attempt at a time.
 */
public record RacerId(int rank) implements Comparable<RacerId> {
    public RacerId {
        if (rank < 0) {
            throw new IllegalArgumentException("rank: " + rank + " (expected: >= 0)");
        }
    }

    @Override
    public int compareTo(RacerId other) {
        return Integer.compare(rank, other.rank);
    }
}

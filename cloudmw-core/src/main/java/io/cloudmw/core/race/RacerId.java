package io.cloudmw.core.race;

/** Names a racer within its transfer: its rank among the transfer's helpers, from 0. */
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

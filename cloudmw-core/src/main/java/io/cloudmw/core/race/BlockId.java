package io.cloudmw.core.race;

/** The number of a block in its transfer, from 0 in the order the destination issues them: the paper's round. */
public record BlockId(int value) implements Comparable<BlockId> {
    public BlockId {
        if (value < 0) {
            throw new IllegalArgumentException("block: " + value + " (expected: >= 0)");
        }
    }

    @Override
    public int compareTo(BlockId other) {
        return Integer.compare(value, other.value);
    }
}

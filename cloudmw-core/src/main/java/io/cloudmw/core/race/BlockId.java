package io.cloudmw.core.race;

/** Names a block within its transfer: 0-based, in the order the destination issues them (the paper's round). */
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

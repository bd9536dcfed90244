package io.cloudmw.core.race;

import io.cloudmw.core.model.ByteRange;
import java.util.List;
import java.util.Set;

/**
 * A block, the unit of the race: a leaf-aligned range of one chunk, wanted once. In mode {@code rounds} a block is the
 * wanted part of a whole chunk.
 *
 * @param chunkIndex the chunk's position in the file
 * @param range within the chunk
 * @param replicas how many replicas there are to choose from
 * @param entrants the racers it is issued to, each with its first replica; racers are distinct
 * @param barred replicas that must not be read
 */
public record Block(
        BlockId id,
        long chunkIndex,
        ByteRange range,
        int replicas,
        List<Entrant> entrants,
        BlockRule rule,
        Set<Integer> barred) {
    public Block {
        entrants = List.copyOf(entrants);
        barred = Set.copyOf(barred);
        if (chunkIndex < 0) {
            throw new IllegalArgumentException("chunkIndex: " + chunkIndex + " (expected: >= 0)");
        }
        if (replicas < 1) {
            throw new IllegalArgumentException("replicas: " + replicas + " (expected: >= 1)");
        }
        if (rule == BlockRule.SOLE && entrants.size() != 1) {
            throw new IllegalArgumentException("entrants: " + entrants.size() + " (expected: 1)");
        }
        long distinct = entrants.stream().map(Entrant::racer).distinct().count();
        if (distinct != entrants.size()) {
            throw new IllegalArgumentException("entrants: a racer is named twice in " + entrants);
        }
        for (Entrant entrant : entrants) {
            checkReplica(entrant.replica(), replicas);
            if (barred.contains(entrant.replica())) {
                throw new IllegalArgumentException(
                        "replica: " + entrant.replica() + " (expected: none of " + barred + ")");
            }
        }
        for (int replica : barred) {
            checkReplica(replica, replicas);
        }
    }

    private static void checkReplica(int replica, int replicas) {
        if (replica < 0 || replica >= replicas) {
            throw new IllegalArgumentException("replica: " + replica + " (expected: 0.." + (replicas - 1) + ")");
        }
    }

    /** A block of which every replica may be read. */
    public Block(BlockId id, long chunkIndex, ByteRange range, int replicas, List<Entrant> entrants, BlockRule rule) {
        this(id, chunkIndex, range, replicas, entrants, rule, Set.of());
    }

    /** A block that its entrants race for. */
    public Block(BlockId id, long chunkIndex, ByteRange range, int replicas, List<Entrant> entrants) {
        this(id, chunkIndex, range, replicas, entrants, BlockRule.RACE);
    }

    /** Returns whether leaves are relayed as they come, because there is one attempt at a time. */
    public boolean isCutThrough() {
        return rule != BlockRule.RACE;
    }

    /**
     * Returns whether this block comes before {@code other} in the file; of two at the same place, the one issued
     * first does.
     */
    public boolean isBefore(Block other) {
        if (chunkIndex != other.chunkIndex) {
            return chunkIndex < other.chunkIndex;
        }
        if (range.offset() != other.range.offset()) {
            return range.offset() < other.range.offset();
        }
        return id.compareTo(other.id) < 0;
    }
}

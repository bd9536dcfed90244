package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.trace.TraceParent;
import java.util.List;
import java.util.Optional;

/**
 * A block as the destination issued it, with the digests that verify its bytes.
 *
 * @param race the block as the race knows it
 * @param leaves the same bytes, with their digests
 * @param replicas stores that hold a copy, in the paper's order
 * @param extra whether its attempts make up for late ones; they have threads and connections of their own
 * @param untilMillis end of the right to read the block, by the wall clock; a token that this helper passes on ends no
 *     later
 * @param trace the span of the attempt; empty: it is not traced
 */
public record WantedBlock(
        Block race,
        LeafRange leaves,
        long chunkLength,
        List<StoreId> replicas,
        boolean extra,
        long untilMillis,
        Optional<TraceParent> trace) {
    public WantedBlock {
        replicas = List.copyOf(replicas);
        ByteRange range = race.range();
        if (!leaves.range().equals(range)) {
            throw new IllegalArgumentException("leaves: " + leaves.range() + " (expected: " + range + ")");
        }
        if (range.isEmpty() || range.end() > chunkLength) {
            throw new IllegalArgumentException("range: " + range + " (expected: some of 0.." + chunkLength + ")");
        }
        if (range.length() % leaves.leafSizeBytes() != 0 && range.end() != chunkLength) {
            throw new IllegalArgumentException(
                    "range: " + range + " (expected: aligned to " + leaves.leafSizeBytes() + ")");
        }
        if (leaves.leafSizeBytes() > FrameLimits.MAX_DATA_BYTES) {
            throw new IllegalArgumentException("leafSizeBytes: " + leaves.leafSizeBytes() + " (expected: <= "
                    + FrameLimits.MAX_DATA_BYTES + ", a frame)");
        }
        if (replicas.isEmpty() || race.replicas() != replicas.size()) {
            throw new IllegalArgumentException("replicas: " + replicas.size() + " (expected: " + race.replicas() + ")");
        }
    }

    /**
     * Converts an issued block.
     *
     * @param untilMillis end of the right to read the block, by the wall clock
     */
    public static WantedBlock of(IssuedBlock issued, long untilMillis) {
        LeafRange leaves =
                new LeafRange(issued.chunk(), issued.block().range(), issued.leafSizeBytes(), issued.leafCrc32c());
        return new WantedBlock(
                issued.block(),
                leaves,
                issued.chunkLength(),
                issued.replicas(),
                issued.extra(),
                untilMillis,
                issued.trace());
    }

    /** Length in bytes. */
    public long length() {
        return race.range().length();
    }

    /** The store if it holds one of the replicas, else the store of the first replica. */
    public StoreId named(StoreId store) {
        return replicas.contains(store) ? store : replicas.get(0);
    }

    /** The part of this block with {@code count} adjacent leaves, from the {@code first} on. */
    public WantedBlock part(int first, int count) {
        LeafRange part = leaves.part(first, count);
        return of(part.range(), race.rule(), part, extra);
    }

    /** The same block with another end of the right to read it. */
    public WantedBlock until(long endMillis) {
        return new WantedBlock(race, leaves, chunkLength, replicas, extra, endMillis, trace);
    }

    /** The same block, traced as the given span. */
    public WantedBlock tracedAs(Optional<TraceParent> span) {
        return new WantedBlock(race, leaves, chunkLength, replicas, extra, untilMillis, span);
    }

    /**
     * The same block without cut-through. Leaves that other readers may get too are verified before they are relayed.
     *
     * @param isExtra whether the attempt makes up for a late one
     */
    public WantedBlock asRaced(boolean isExtra) {
        return of(race.range(), BlockRule.RACE, leaves, isExtra);
    }

    private WantedBlock of(ByteRange range, BlockRule rule, LeafRange of, boolean isExtra) {
        Block part =
                new Block(race.id(), race.chunkIndex(), range, race.replicas(), race.entrants(), rule, race.barred());
        return new WantedBlock(part, of, chunkLength, replicas, isExtra, untilMillis, trace);
    }

    /** The name of this object in messages. */
    @Override
    public String toString() {
        return "block=" + race.id().value() + " chunk=" + leaves;
    }
}

package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkFrames;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.wire.IssuedBlock;
import java.util.List;

/**
 * A block as the destination issued it: what is raced for, and how to tell that it was fetched right.
 *
 * @param race the block in the eyes of the race
 * @param leaves the same bytes, with their digests
 * @param replicas stores that hold a copy, in the paper's order
 * @param extra whether its attempts make up for late ones: they use threads and connections that others do not hold
 * @param untilMillis when the right to read it ends that was shown for it, by the wall clock: nobody else is told of a longer one
 */
public record WantedBlock(
        Block race, LeafRange leaves, long chunkLength, List<StoreId> replicas, boolean extra, long untilMillis) {
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
        if (leaves.leafSizeBytes() > BulkFrames.MAX_DATA_BYTES) {
            throw new IllegalArgumentException("leafSizeBytes: " + leaves.leafSizeBytes() + " (expected: <= "
                    + BulkFrames.MAX_DATA_BYTES + ", a frame)");
        }
        if (replicas.isEmpty() || race.replicas() != replicas.size()) {
            throw new IllegalArgumentException("replicas: " + replicas.size() + " (expected: " + race.replicas() + ")");
        }
    }

    /**
     * What was issued.
     *
     * @param untilMillis when the right to read it ends
     */
    public static WantedBlock of(IssuedBlock issued, long untilMillis) {
        LeafRange leaves =
                new LeafRange(issued.chunk(), issued.block().range(), issued.leafSizeBytes(), issued.leafCrc32c());
        return new WantedBlock(
                issued.block(), leaves, issued.chunkLength(), issued.replicas(), issued.extra(), untilMillis);
    }

    /** Bytes wanted. */
    public long length() {
        return race.range().length();
    }

    /** This replica, or the first where the block does not name it: its reader knows of another. */
    public StoreId named(StoreId store) {
        return replicas.contains(store) ? store : replicas.get(0);
    }

    /** Some leaves of it in a row, from the {@code first} on. */
    public WantedBlock part(int first, int count) {
        LeafRange part = leaves.part(first, count);
        return of(part.range(), race.rule(), part, extra);
    }

    /** The same, wanted by who may read it until then. */
    public WantedBlock until(long endMillis) {
        return new WantedBlock(race, leaves, chunkLength, replicas, extra, endMillis);
    }

    /**
     * The same, but not relayed while it is fetched: what others may be given too is verified wherever it comes from.
     *
     * @param isExtra whether it makes up for a late attempt
     */
    public WantedBlock asRaced(boolean isExtra) {
        return of(race.range(), BlockRule.RACE, leaves, isExtra);
    }

    private WantedBlock of(ByteRange range, BlockRule rule, LeafRange of, boolean isExtra) {
        Block part =
                new Block(race.id(), race.chunkIndex(), range, race.replicas(), race.entrants(), rule, race.barred());
        return new WantedBlock(part, of, chunkLength, replicas, isExtra, untilMillis);
    }

    /** For messages. */
    @Override
    public String toString() {
        return "block=" + race.id().value() + " chunk=" + leaves;
    }
}

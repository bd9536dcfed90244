package io.cloudmw.helper.switching;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.WantedBlock;
import java.util.LinkedHashSet;
import java.util.Set;

/** A subscriber to the leaves of a block that {@link SharedFetch}es bring. Safe for any thread. */
abstract class LeafSubscriber {
    private final WantedBlock block;
    private final StoreId store;
    private final long firstLeaf;
    /** Guarded by the lock of {@link SharedFetcher}. */
    private final Set<SharedFetch> fetches = new LinkedHashSet<>();

    /** @param store the store it named; it hears of a bad replica only when that store has it */
    LeafSubscriber(WantedBlock block, StoreId store) {
        this.block = block;
        this.store = store;
        this.firstLeaf = block.leaves().range().offset() / block.leaves().leafSizeBytes();
    }

    final WantedBlock block() {
        return block;
    }

    final StoreId store() {
        return store;
    }

    /** The fetches it waits for. The caller holds the lock of {@link SharedFetcher}. */
    final Set<SharedFetch> fetches() {
        return fetches;
    }

    /** Names the leaf at an index of the block. */
    final LeafKey key(int index) {
        return new LeafKey(block.leaves().chunk(), Math.toIntExact(firstLeaf + index));
    }

    /** The index of a leaf in the block; may lie outside of it. */
    final int index(LeafKey key) {
        return Math.toIntExact(key.leaf() - firstLeaf);
    }

    /** Returns whether the block expects a leaf of this length and CRC32C at an index; false outside of the block. */
    final boolean expects(int index, int length, int crc32c) {
        LeafRange leaves = block.leaves();
        return index >= 0
                && index < leaves.leaves()
                && length == leaves.length(index)
                && crc32c == leaves.crc32c(index);
    }

    /** Returns whether a leaf is given after the cache has kept it, or failed to; otherwise it is given at once. */
    abstract boolean waitsForTheCache();

    /** A source of its leaves has been asked. */
    abstract void begun();

    /**
     * Takes over a reference to a leaf, and releases a leaf that the block does not expect. The caller calls
     * {@link #tell} afterwards.
     *
     * @param from the source of the leaf
     */
    abstract void arrived(int index, Leaf leaf, FetchSource from);

    /** Tells its listener what has come. */
    abstract void tell();

    abstract void failed(CloudMwException cause);
}

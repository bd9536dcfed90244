package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.helper.fetch.Leaf;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.LinkedHashSet;
import java.util.Set;

/** Who waits for leaves of a block that flights bring. Safe for any thread. */
abstract class Reader {
    private final WantedBlock block;
    private final StoreId store;
    private final long firstLeaf;
    /** Those it waits for; with the lock of {@link SharedFetching} held. */
    private final Set<Flight> flights = new LinkedHashSet<>();

    /** @param store that it named: of this one alone it may be told that it is at fault */
    Reader(WantedBlock block, StoreId store) {
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

    /** The flights it waits for; with the lock of {@link SharedFetching} held. */
    final Set<Flight> flights() {
        return flights;
    }

    /** Names the leaf at this place of the block. */
    final LeafKey key(int index) {
        return new LeafKey(block.leaves().chunk(), Math.toIntExact(firstLeaf + index));
    }

    /** Where in the block a leaf is; may be outside of it. */
    final int index(LeafKey key) {
        return Math.toIntExact(key.leaf() - firstLeaf);
    }

    /** Whether a leaf of this length and CRC32C is what it expects at this place, inside the block or not. */
    final boolean expects(int index, int length, int crc32c) {
        LeafRange leaves = block.leaves();
        return index >= 0
                && index < leaves.leaves()
                && length == leaves.length(index)
                && crc32c == leaves.crc32c(index);
    }

    /** Whether it is given leaves only when they are kept, as far as they ever will be; otherwise at once. */
    abstract boolean isLast();

    /** The leaf's store, or the disk, is asked. */
    abstract void begun();

    /**
     * Takes over a hold on a leaf; does nothing with one that is not of this block, or that another expects to be different.
     * Others must call {@link #tell}.
     *
     * @param from where it was fetched
     */
    abstract void arrived(int index, Leaf leaf, Stop from);

    /** Has it tell what has come. */
    abstract void tell();

    abstract void failed(CloudMwException cause);
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.WantedBlock;
import java.util.List;

/** The switches that are asked for a block before its store is read. Safe for any thread; never blocks. */
public interface Upstream {
    /** No switches. */
    Upstream NONE = block -> new Above(0, List.of());

    /** The switches above this one for a block. */
    Above of(WantedBlock block);

    /** The greatest height of a fetch that the requester may wait for. */
    default int highest() {
        return Integer.MAX_VALUE;
    }

    /**
     * The switches above one switch for a block. Each is lower than the switch that asks it, so that no switch can wait
     * for itself, even when helpers know different trees.
     *
     * @param height height of a fetch through these switches; 0 when the store is read
     * @param parents the switches, in the order in which they are asked
     */
    record Above(int height, List<Parent> parents) {
        public Above {
            parents = List.copyOf(parents);
            for (Parent parent : parents) {
                if (parent.height() >= height) {
                    throw new IllegalArgumentException("height: " + parent.height() + " (expected: < " + height + ")");
                }
            }
        }
    }

    /** A switch above this one. */
    interface Parent {
        /** The height in the tree; a switch at height 0 reads the store. */
        int height();

        /**
         * Starts an attempt at this switch.
         *
         * @param store the store that is read when no switch has the block
         * @param room the allocator of the leaves
         */
        BlockAttempt start(WantedBlock block, StoreId store, BlockAttempt.Listener listener, LeafMemory room);
    }
}

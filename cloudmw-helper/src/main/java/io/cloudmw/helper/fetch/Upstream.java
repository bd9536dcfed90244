package io.cloudmw.helper.fetch;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.LeafAllocator;
import io.cloudmw.helper.block.WantedBlock;
import java.util.List;

/** The switches that are asked for what is not here before its store is read. Safe for any thread; never blocks. */
public interface Upstream {
    /** There are none. */
    Upstream NONE = block -> new Above(0, List.of());

    /** Those above this one for a block. */
    Above of(WantedBlock block);

    /** Who asks waits for nobody higher. */
    default int highest() {
        return Integer.MAX_VALUE;
    }

    /**
     * What is above a switch for a block. Each is lower than who asks it, so that none can wait for itself, whatever the
     * others take the tree to be.
     *
     * @param height of what is fetched through them; 0: from the store
     * @param parents in the order in which they are asked
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
        /** 0: it reads the store. */
        int height();

        /**
         * Asks it for a block.
         *
         * @param store the replica to be read when nobody has the block
         * @param room where the leaves go
         */
        BlockAttempt start(WantedBlock block, StoreId store, BlockAttempt.Listener listener, LeafAllocator room);
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;

/** Finds the stores of one transfer. Safe for any thread; may block. */
@FunctionalInterface
public interface StoreResolver {
    /**
     * The store by this id, to be read by the caller and closed by nobody.
     *
     * @throws CloudMwException when it is not known or cannot be reached
     */
    ChunkStore open(StoreId store) throws CloudMwException;

    /**
     * The same, for a chunk that the transfer may read until then and no longer. Whoever vouches for it to others overrides this.
     *
     * @throws CloudMwException as the other
     */
    default ChunkStore open(StoreId store, long untilMillis) throws CloudMwException {
        return open(store);
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;

/** The lookup of the stores of one transfer. Safe for any thread; may block. */
@FunctionalInterface
public interface StoreResolver {
    /**
     * The store with an id; the caller does not close it.
     *
     * @throws CloudMwException when the store is not known or cannot be reached
     */
    ChunkStore open(StoreId store) throws CloudMwException;

    /**
     * The store with an id, for a chunk that the transfer may read until a time. A resolver that passes the right on to
     * other helpers overrides this.
     *
     * @param untilMillis end of the right to read, by the wall clock
     * @throws CloudMwException as the other method
     */
    default ChunkStore open(StoreId store, long untilMillis) throws CloudMwException {
        return open(store);
    }
}

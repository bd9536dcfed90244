package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;

/** Makes a {@link ChunkStore} of its description. Safe for any thread. */
@FunctionalInterface
public interface StoreOpener {
    /**
     * Opens the store, or gives the one that is open already. It belongs to the opener: callers do not close it.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when it cannot be opened here
     */
    ChunkStore open(Store store) throws CloudMwException;
}

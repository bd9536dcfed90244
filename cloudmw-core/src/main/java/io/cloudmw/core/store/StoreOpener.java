package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;

/** The opener of stores: it makes a {@link ChunkStore} from its description. Safe for any thread. */
@FunctionalInterface
public interface StoreOpener {
    /**
     * Opens the store, or returns the one that is open. The store belongs to the opener: callers do not close it.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when it cannot be opened here
     */
    ChunkStore open(Store store) throws CloudMwException;
}

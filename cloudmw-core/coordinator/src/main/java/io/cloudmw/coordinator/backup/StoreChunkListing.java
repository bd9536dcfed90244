package io.cloudmw.coordinator.backup;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkStore;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of which chunks a store has. Chunks requested in the order of their names are found in one pass over the
 * store's listing; for others it asks the store. Confined to one thread.
 */
final class StoreChunkListing {
    private static final int PAGE = 1000;

    private final ChunkStore store;
    private Iterator<StoredChunk> page = List.<StoredChunk>of().iterator();
    private String token = "";
    private boolean last;
    private @Nullable String at = "";
    private String asked = "";

    StoreChunkListing(ChunkStore store) {
        this.store = store;
    }

    ChunkStore store() {
        return store;
    }

    StoreId id() {
        return store.id();
    }

    boolean has(ChunkId chunk) throws CloudMwException {
        String name = chunk.toString();
        if (name.compareTo(asked) < 0) {
            return store.length(chunk).isPresent();
        }
        asked = name;
        while (at != null && at.compareTo(name) < 0) {
            at = next();
        }
        return name.equals(at);
    }

    /** Returns the next name; null at the end. */
    private @Nullable String next() throws CloudMwException {
        while (!page.hasNext()) {
            if (last) {
                return null;
            }
            Page<StoredChunk> listed = store.list(token, PAGE);
            page = listed.items().iterator();
            token = listed.nextToken();
            last = listed.isLast();
        }
        return page.next().id().toString();
    }
}

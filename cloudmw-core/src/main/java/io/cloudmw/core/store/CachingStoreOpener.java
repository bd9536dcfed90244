package io.cloudmw.core.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;

/**
 * A cache of open stores: it opens each store once and closes them all at the end. A store that moved to another
 * bucket or directory, or was replaced, is opened anew after the old one is closed. Safe for any thread; opening is
 * serialised, so the opener behind it should not wait for the network.
 */
public final class CachingStoreOpener implements StoreOpener, Closeable {
    private final StoreOpener opener;

    @GuardedBy("this")
    private final Map<StoreId, OpenStore> stores = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    public CachingStoreOpener(StoreOpener opener) {
        this.opener = opener;
    }

    @Override
    public synchronized ChunkStore open(Store store) throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + store.id() + ": closed");
        }
        OpenStore known = stores.get(store.id());
        if (known != null && known.isStill(store)) {
            return known.store();
        }
        if (known != null) {
            known.store().close();
            stores.remove(store.id());
        }
        ChunkStore opened = opener.open(store);
        stores.put(store.id(), new OpenStore(store, opened));
        return opened;
    }

    /** Closes every store that was opened. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        stores.values().forEach(opened -> opened.store().close());
        stores.clear();
    }

    /** An open store. A plan from before its replacement does not open the former one again. */
    private record OpenStore(Store as, ChunkStore store) {
        boolean isStill(Store wanted) {
            long replaced = Long.compare(
                    wanted.identity().replacedAtMillis(), as.identity().replacedAtMillis());
            boolean isOther = wanted.identity().isKnown() && !wanted.identity().isSame(as.identity());
            return as.kind().equals(wanted.kind()) && (replaced < 0 || (replaced == 0 && !isOther));
        }
    }
}

package io.cloudmw.core.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import java.util.Optional;

/**
 * The access to markers of buckets, with this process's credentials. Safe for any thread; calls block on the bucket.
 */
public interface BucketMarkers {
    /**
     * The marker of the store's bucket; empty: it has none.
     *
     * @throws CloudMwException {@code STORE_MISMATCH} when it is of an unknown form; otherwise the failures of stores
     */
    Optional<BucketMarker> read(Store bucket) throws CloudMwException;

    /**
     * Writes a marker.
     *
     * @param replace whether it may replace another marker
     * @return false: there is another one, and nothing was written
     * @throws CloudMwException {@code STORE_DENIED} when this process may not write it
     */
    boolean write(Store bucket, BucketMarker marker, boolean replace) throws CloudMwException;
}

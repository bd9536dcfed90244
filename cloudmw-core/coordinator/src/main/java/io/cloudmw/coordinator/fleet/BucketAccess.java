package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.signing.UrlSigner;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** The coordinator's own access to buckets, with its own credentials. Safe for any thread. */
@FunctionalInterface
public interface BucketAccess extends BucketProbe, UrlSigner.LocalSigner {
    /**
     * Returns a URL that serves the chunk by GET, also in ranges, for {@code validity}. The URL is a secret. It is
     * computed without a request. Empty when the store cannot be read this way.
     */
    @Override
    Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException;

    /**
     * Creates the store's bucket in its region, unless these credentials own one already.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when another owner has a bucket of that name
     */
    default void create(Store store) throws CloudMwException {
        throw new CloudMwException(
                ErrorCode.INVALID_ARGUMENT, "this coordinator has no access to buckets, so it cannot create one");
    }

    /** Returns the access to bucket markers; empty where this coordinator reaches no bucket. */
    default Optional<BucketMarkers> markers() {
        return Optional.empty();
    }

    @Override
    default Optional<StoreFault> look(Store bucket) {
        return Optional.empty();
    }

    @Override
    default ProbeReport probe(Store bucket, Duration timeout) {
        return BucketProbe.none().probe(bucket, timeout);
    }

    /** Returns an access for clusters in which clients read no bucket directly. */
    static BucketAccess none() {
        return (store, chunk, validity) -> Optional.empty();
    }
}

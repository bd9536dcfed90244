package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.signing.ReadSigner;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** What the coordinator does with buckets by itself: it holds the credentials. Safe for any thread. */
@FunctionalInterface
public interface BucketAccess extends BucketProbe, ReadSigner.Own {
    /**
     * A URL that answers GET, also of a range, with the chunk for {@code validity}; it is a secret. Computed without
     * asking the store. Empty when the store cannot be read this way.
     */
    @Override
    Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException;

    /**
     * Makes the store's bucket, in its region, where there is none that these credentials own.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when somebody else owns one of that name
     */
    default void create(Store store) throws CloudMwException {
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "this coordinator makes no buckets");
    }

    /** Reads and writes the markers of buckets; empty where this coordinator reaches no bucket. */
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

    /** For clusters where clients reach nothing by themselves. */
    static BucketAccess none() {
        return (store, chunk, validity) -> Optional.empty();
    }
}

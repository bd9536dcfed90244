package io.cloudmw.helper.bucket;

import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.s3.S3Settings;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The buckets of a coordinator: it signs URLs for their chunks, probes them and creates them. Safe for any thread.
 */
public final class CoordinatorBuckets implements BucketAccess, AutoCloseable {
    private final BucketConnections connections = new BucketConnections("coordinator", S3Settings.DEFAULT);

    @Override
    public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException {
        return connections.presign(store, chunk, validity);
    }

    @Override
    public void create(Store store) throws CloudMwException {
        connections.open().create(store);
    }

    /** The markers of buckets. Connects with the first marker that is read or written. */
    @Override
    public Optional<BucketMarkers> markers() {
        return Optional.of(new BucketMarkers() {
            @Override
            public Optional<BucketMarker> read(Store bucket) throws CloudMwException {
                return connections.open().markers().read(bucket);
            }

            @Override
            public boolean write(Store bucket, BucketMarker marker, boolean replace) throws CloudMwException {
                return connections.open().markers().write(bucket, marker, replace);
            }
        });
    }

    @Override
    public Optional<StoreFault> look(Store bucket) {
        return connections.look(bucket);
    }

    @Override
    public ProbeReport probe(Store bucket, Duration timeout) {
        return connections.probe(bucket, timeout);
    }

    /** Idempotent. */
    @Override
    public void close() {
        connections.close();
    }
}

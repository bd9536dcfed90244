package io.cloudmw.helper.bucket;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.MarkedStore;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.store.CachingStoreOpener;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MeteredChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.store.ThrottledChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The buckets of a helper: it opens each once, metered and, for demonstrations, throttled. The helper also signs URLs
 * for their chunks. Safe for any thread.
 */
public final class HelperBuckets implements StoreOpener, BucketProbe, UrlSigner.LocalSigner, AutoCloseable {
    private final Optional<StoreLaw> throttle;
    private final MeterRegistry meters;
    private final CachingStoreOpener stores = new CachingStoreOpener(this::openAnew);
    private final BucketConnections connections;

    /**
     * Connects to no bucket yet.
     *
     * @param readers concurrent reads, each with a connection
     * @param extraReaders concurrent reads that make up for late ones, each with a connection of its own
     * @param warm connections to each bucket that are kept open for extra reads
     * @param throttle limit on the speed of reads; empty for none
     */
    public HelperBuckets(int readers, int extraReaders, int warm, Optional<StoreLaw> throttle, MeterRegistry meters) {
        this.connections = new BucketConnections("helper", settings(readers, extraReaders, warm));
        this.throttle = throttle;
        this.meters = meters;
    }

    /** Settings with at least the default number of connections, since writes need some, too. */
    static S3Settings settings(int readers, int extraReaders, int warm) {
        int usual = S3Settings.DEFAULT.maxConnections();
        return S3Settings.DEFAULT.withConnections(Math.max(usual, readers), extraReaders, Math.min(warm, extraReaders));
    }

    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        return stores.open(store);
    }

    private ChunkStore openAnew(Store store) throws CloudMwException {
        ChunkStore bucket = connections.open().open(store);
        if (store.identity().isKnown()) {
            bucket = new MarkedStore(bucket, store, connections.open().markers(), Ticker.system());
        }
        if (throttle.isPresent()) {
            bucket = new ThrottledChunkStore(bucket, throttle.get(), Ticker.system(), Sleeper.system());
        }
        return new MeteredChunkStore(bucket, meters, Ticker.system());
    }

    @Override
    public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException {
        return connections.presign(store, chunk, validity);
    }

    @Override
    public Optional<StoreFault> look(Store bucket) {
        return connections.look(bucket);
    }

    @Override
    public ProbeReport probe(Store bucket, Duration timeout) {
        return connections.probe(bucket, timeout);
    }

    /** Closes every store and the connections. Idempotent. */
    @Override
    public void close() {
        stores.close();
        connections.close();
    }
}

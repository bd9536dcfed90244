package io.cloudmw.helper.bucket;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.CachingStoreOpener;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MeteredChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.store.ThrottledChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;

/**
 * Opens S3 stores, each once, metered and, for demonstrations, throttled.
 */
public final class Buckets implements StoreOpener, AutoCloseable {
    private final Optional<StoreLaw> throttle;
    private final MeterRegistry meters;
    private final CachingStoreOpener stores = new CachingStoreOpener(this::openAnew);
    private final Connections connections;

    /**
     * Opens nothing yet.
     *
     * @param extraConnections for reads that make up for late ones, besides those for all others
     * @param throttle how fast each bucket may be read from here; empty: as fast as it can
     */
    public Buckets(int extraConnections, Optional<StoreLaw> throttle, MeterRegistry meters) {
        this.connections = new Connections("helper", S3Settings.DEFAULT.withExtraConnections(extraConnections));
        this.throttle = throttle;
        this.meters = meters;
    }

    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        return stores.open(store);
    }

    private ChunkStore openAnew(Store store) throws CloudMwException {
        ChunkStore bucket = connections.open().open(store);
        if (throttle.isPresent()) {
            bucket = new ThrottledChunkStore(bucket, throttle.get(), Ticker.system(), Sleeper.system());
        }
        return new MeteredChunkStore(bucket, meters, Ticker.system());
    }

    /** Closes every store and the connections. Idempotent. */
    @Override
    public void close() {
        stores.close();
        connections.close();
    }
}

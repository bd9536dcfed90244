package io.cloudmw.helper.bucket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.CachingStoreOpener;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MeteredChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.store.ThrottledChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens S3 stores, each once, metered and, for demonstrations, throttled. The S3 client is made when it is first
 * needed: a helper that only has disks does without.
 */
public final class Buckets implements StoreOpener, AutoCloseable {
    private final Optional<StoreLaw> throttle;
    private final MeterRegistry meters;
    private final CachingStoreOpener stores = new CachingStoreOpener(this::openAnew);

    @GuardedBy("this")
    private @Nullable S3Stores s3;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Opens nothing yet.
     *
     * @param throttle how fast each bucket may be read from here; empty: as fast as it can
     */
    public Buckets(Optional<StoreLaw> throttle, MeterRegistry meters) {
        this.throttle = throttle;
        this.meters = meters;
    }

    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        return stores.open(store);
    }

    private ChunkStore openAnew(Store store) throws CloudMwException {
        ChunkStore bucket = client().open(store);
        if (throttle.isPresent()) {
            bucket = new ThrottledChunkStore(bucket, throttle.get(), Ticker.system(), Sleeper.system());
        }
        return new MeteredChunkStore(bucket, meters, Ticker.system());
    }

    private synchronized S3Stores client() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.CANCELLED, "the helper is closing");
        }
        S3Stores open = s3;
        if (open == null) {
            open = S3Stores.open(S3Settings.DEFAULT);
            s3 = open;
        }
        return open;
    }

    /** Closes every store and the client. Idempotent. */
    @Override
    public void close() {
        stores.close();
        S3Stores open;
        synchronized (this) {
            closed = true;
            open = s3;
            s3 = null;
        }
        if (open != null) {
            open.close();
        }
    }
}

package io.cloudmw.helper.bucket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.time.WallClock;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The S3 connections of one process, opened with the first request to a bucket. Safe for any thread. */
final class BucketConnections implements BucketProbe, UrlSigner.LocalSigner, AutoCloseable {
    /** Time-out of one small request to a bucket. */
    private static final Duration LOOK = Duration.ofSeconds(4);

    private final String process;
    private final S3Settings settings;

    @GuardedBy("this")
    private @Nullable S3Stores s3;

    @GuardedBy("this")
    private boolean closed;

    /** @param process the owner of the connections, for messages */
    BucketConnections(String process, S3Settings settings) {
        this.process = process;
        this.settings = settings;
    }

    /**
     * The S3 client, which this object closes.
     *
     * @throws CloudMwException {@code CANCELLED} once this is closed
     */
    synchronized S3Stores open() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.CANCELLED, "the " + process + " is closing");
        }
        S3Stores open = s3;
        if (open == null) {
            open = S3Stores.open(settings);
            s3 = open;
        }
        return open;
    }

    @Override
    public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException {
        return store.kind() instanceof Store.S3
                ? Optional.of(open().presign(store, chunk, validity))
                : Optional.empty();
    }

    @Override
    public Optional<StoreFault> look(Store bucket) {
        try {
            return open().look(bucket, LOOK);
        } catch (CloudMwException e) {
            return fault(e);
        }
    }

    @Override
    public ProbeReport probe(Store bucket, Duration timeout) {
        try {
            return open().probe(bucket, timeout);
        } catch (CloudMwException e) {
            return new ProbeReport(fault(e), 0, 0);
        }
    }

    /** The fault of a bucket when the S3 client cannot be opened; empty when this is closing. */
    private static Optional<StoreFault> fault(CloudMwException e) {
        return e.code() == ErrorCode.CANCELLED
                ? Optional.empty()
                : Optional.of(new StoreFault(
                        StoreFault.Kind.DENIED,
                        String.valueOf(e.getMessage()),
                        WallClock.system().millis()));
    }

    /** Idempotent. */
    @Override
    public void close() {
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

package io.cloudmw.helper.bucket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.coordinator.BucketAccess;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Signs URLs for chunks in S3 (clients reach no other store by themselves), and makes buckets. The connections are made
 * when they are first needed.
 */
public final class CoordinatorBuckets implements BucketAccess, AutoCloseable {
    @GuardedBy("this")
    private @Nullable S3Stores s3;

    @GuardedBy("this")
    private boolean closed;

    @Override
    public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException {
        if (!(store.kind() instanceof Store.S3)) {
            return Optional.empty();
        }
        return Optional.of(s3().presign(store, chunk, validity));
    }

    @Override
    public void create(Store store) throws CloudMwException {
        s3().create(store);
    }

    private synchronized S3Stores s3() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.CANCELLED, "the coordinator is closing");
        }
        S3Stores open = s3;
        if (open == null) {
            open = S3Stores.open(S3Settings.DEFAULT);
            s3 = open;
        }
        return open;
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (s3 != null) {
            s3.close();
            s3 = null;
        }
    }
}

package io.cloudmw.helper.bucket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import org.jspecify.annotations.Nullable;

/** One process's connections to S3, made when they are first needed: who only has disks does without. */
final class Connections implements AutoCloseable {
    private final String process;
    private final S3Settings settings;

    @GuardedBy("this")
    private @Nullable S3Stores s3;

    @GuardedBy("this")
    private boolean closed;

    /** @param process whose they are, for messages */
    Connections(String process, S3Settings settings) {
        this.process = process;
        this.settings = settings;
    }

    /**
     * They stay this object's to close.
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

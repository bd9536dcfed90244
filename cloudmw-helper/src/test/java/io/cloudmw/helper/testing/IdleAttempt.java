package io.cloudmw.helper.testing;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.fetch.BlockAttempt;

/**
 * An attempt that never delivers.
 *
 * @param cancelled run when it is cancelled
 */
public record IdleAttempt(Runnable cancelled) implements BlockAttempt {
    @Override
    public void cancel() {
        cancelled.run();
    }

    @Override
    public boolean expire(CloudMwException cause) {
        return false;
    }

    @Override
    public long bytesRead() {
        return 0;
    }

    @Override
    public void shorten(long bytes) {}
}

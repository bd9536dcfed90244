package io.cloudmw.core.reach;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import java.util.Optional;

/** Asks buckets whether this process can use them. Safe for any thread; calls block, in bounded time. */
public interface BucketProbe {
    /** Sends one cheap request with the store's credentials; empty: the store can be used. */
    Optional<StoreFault> look(Store bucket);

    /**
     * Writes a small object under a condition, reads a range of it, lists and deletes it. Deletes what checks that were
     * interrupted have left.
     *
     * @param timeout for everything together
     */
    ProbeReport probe(Store bucket, Duration timeout);

    /** For processes that reach no bucket, or do not care: finds nothing wrong. */
    static BucketProbe none() {
        return new BucketProbe() {
            @Override
            public Optional<StoreFault> look(Store bucket) {
                return Optional.empty();
            }

            @Override
            public ProbeReport probe(Store bucket, Duration timeout) {
                return new ProbeReport(Optional.empty(), 0, 0);
            }
        };
    }
}

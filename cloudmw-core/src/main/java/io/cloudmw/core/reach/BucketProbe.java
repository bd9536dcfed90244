package io.cloudmw.core.reach;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import java.util.Optional;

/** The probe that checks whether this process can use a bucket. Safe for any thread; calls block, in bounded time. */
public interface BucketProbe {
    /** Sends one cheap request with the store's credentials; empty: the store can be used. */
    Optional<StoreFault> look(Store bucket);

    /**
     * Writes a small object under a condition, reads a range of it, lists and deletes it. Also deletes the objects of
     * interrupted checks.
     *
     * @param timeout for everything together
     */
    ProbeReport probe(Store bucket, Duration timeout);

    /** The probe of a process that uses no buckets: it finds no fault. */
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

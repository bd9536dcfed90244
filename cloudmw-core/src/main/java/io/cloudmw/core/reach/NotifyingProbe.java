package io.cloudmw.core.reach;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import java.util.Optional;

/** A probe that reports each finding to a watch of the same process. Safe for any thread. */
public final class NotifyingProbe implements BucketProbe {
    private final BucketProbe probe;
    private final BucketWatch watch;

    public NotifyingProbe(BucketProbe probe, BucketWatch watch) {
        this.probe = probe;
        this.watch = watch;
    }

    @Override
    public Optional<StoreFault> look(Store bucket) {
        return probe.look(bucket);
    }

    @Override
    public ProbeReport probe(Store bucket, Duration timeout) {
        ProbeReport report = probe.probe(bucket, timeout);
        watch.checked(bucket, report.fault());
        return report;
    }
}

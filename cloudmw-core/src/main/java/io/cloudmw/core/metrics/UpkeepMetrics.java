package io.cloudmw.core.metrics;

import io.cloudmw.core.error.ErrorCode;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meters of a helper's work for upkeep. Safe for any thread. */
public final class UpkeepMetrics {
    /** Replicas made, those that already existed included. */
    public static final String COPIES = "cloudmw.upkeep.copies";

    /** Bytes written for replicas. */
    public static final String COPIED = "cloudmw.upkeep.copied";

    /** Bytes read and verified. */
    public static final String VERIFIED = "cloudmw.upkeep.verified";

    /** Replicas deleted, those that were gone already included. */
    public static final String DELETIONS = "cloudmw.upkeep.deletions";

    /** Bytes of replicas deleted. */
    public static final String DELETED = "cloudmw.upkeep.deleted";

    /** Tasks that failed. */
    public static final String FAILED = "cloudmw.upkeep.failed";

    private final MeterRegistry meters;
    private final Counter copies;
    private final Counter copied;
    private final Counter verified;
    private final Counter deletions;
    private final Counter deleted;

    public UpkeepMetrics(MeterRegistry meters) {
        this.meters = meters;
        this.copies = meters.counter(COPIES);
        this.copied = Counter.builder(COPIED).baseUnit("bytes").register(meters);
        this.deletions = meters.counter(DELETIONS);
        this.deleted = Counter.builder(DELETED).baseUnit("bytes").register(meters);
        this.verified = Counter.builder(VERIFIED).baseUnit("bytes").register(meters);
    }

    public void deleted(long copies, long bytes) {
        deletions.increment((double) copies);
        deleted.increment((double) bytes);
    }

    public void copied(long bytes) {
        copies.increment();
        copied.increment((double) bytes);
    }

    public void verified(long bytes) {
        verified.increment((double) bytes);
    }

    public void failed(ErrorCode code) {
        meters.counter(FAILED, "code", code.name()).increment();
    }
}

package io.cloudmw.core.status.fleet;

/**
 * The expected speed of one store for reads of one size: the few figures that plans carry and policies use. Immutable.
 *
 * @param firstByteP50Nanos half of the reads have their first byte by then
 * @param firstByteP95Nanos 19 of 20 reads; a later first byte is late ({@code LateThreshold})
 * @param firstByteP99Nanos 99 of 100 reads
 * @param bytesPerSecond median throughput after the first byte
 * @param slowBytesPerSecond throughput that 19 of 20 reads exceed
 * @param errorShare of the reads, 0..1
 * @param medianShift the factor by which the median time to first byte has moved lately; 1: not at all
 * @param samples the number of samples behind the figures; 0: they are defaults
 */
public record ExpectedSpeed(
        long firstByteP50Nanos,
        long firstByteP95Nanos,
        long firstByteP99Nanos,
        long bytesPerSecond,
        long slowBytesPerSecond,
        double errorShare,
        double medianShift,
        double samples) {
    /** The least samples that count as a measurement. */
    public static final double ENOUGH_SAMPLES = 8;

    /**
     * The default for a store without any read: an object store in the same region on an ordinary day. First byte 40
     * ms, p95 150 ms, p99 400 ms; 50 MiB/s, rarely less than 15.
     */
    public static final ExpectedSpeed DEFAULT =
            new ExpectedSpeed(40_000_000, 150_000_000, 400_000_000, 50L << 20, 15L << 20, 0, 1, 0);

    public ExpectedSpeed {
        if (firstByteP50Nanos < 0 || firstByteP95Nanos < firstByteP50Nanos || firstByteP99Nanos < firstByteP95Nanos) {
            throw new IllegalArgumentException("firstByte: " + firstByteP50Nanos + ", " + firstByteP95Nanos + ", "
                    + firstByteP99Nanos + " ns (expected: ascending, >= 0)");
        }
        if (slowBytesPerSecond < 1 || bytesPerSecond < slowBytesPerSecond) {
            throw new IllegalArgumentException(
                    "bytesPerSecond: " + slowBytesPerSecond + ", " + bytesPerSecond + " (expected: ascending, >= 1)");
        }
        if (!(errorShare >= 0 && errorShare <= 1)) {
            throw new IllegalArgumentException("errorShare: " + errorShare + " (expected: 0..1)");
        }
        if (!(medianShift > 0 && medianShift < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("medianShift: " + medianShift + " (expected: > 0)");
        }
        if (!(samples >= 0 && samples < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("samples: " + samples + " (expected: >= 0)");
        }
    }

    /** Returns whether it has samples. */
    public boolean isKnown() {
        return samples > 0;
    }

    /** The current median time to the first byte, in whichever direction it has moved. */
    public long firstByteNanos() {
        return Math.round(firstByteP50Nanos * medianShift);
    }

    /**
     * The time after which a first byte is late: the p95. It moves with the median when all reads got slower, so that
     * what is usual now is not late. When all got faster it stays, because a few reads do not show a p95.
     */
    public long lateFirstByteNanos() {
        return Math.round(firstByteP95Nanos * Math.max(1, medianShift));
    }

    /**
     * The expected time of a read of {@code bytes} now, in nanoseconds. A failure is retried somewhere, so it counts
     * as one more wait of the length of the p99.
     */
    public long expectedNanos(long bytes) {
        double stream = bytes * 1e9 / bytesPerSecond;
        return Math.round(firstByteNanos() + stream + errorShare * firstByteP99Nanos);
    }
}

package io.cloudmw.coordinator.page;

import java.util.List;

/**
 * A store on the web page.
 *
 * @param kind {@code s3} or {@code disk}
 * @param place of the bucket or directory
 * @param owner the helper that serves the disk; empty for a bucket
 * @param available whether it can be used now
 * @param problem why it cannot be used, or not by every process; empty: no problem is known
 * @param freeBytes room for chunks; -1: unknown or unlimited
 * @param samples reads behind the distribution of the first byte, aged
 * @param errorShare share of the reads that failed, 0..1
 * @param medianShift factor by which the median time to the first byte has moved lately; 1: not at all
 * @param firstByteMicros time to the first byte at {@link #PERCENTILES}; empty: too few reads
 * @param streamBytesPerSecond throughput after the first byte at {@link #PERCENTILES}; empty: too few reads
 */
public record ShownStore(
        String id,
        String kind,
        String place,
        String owner,
        boolean available,
        boolean draining,
        boolean lost,
        String problem,
        long freeBytes,
        double readsPerSecond,
        long bytesPerSecond,
        double samples,
        double errorShare,
        double medianShift,
        List<Long> firstByteMicros,
        List<Long> streamBytesPerSecond) {
    /** The percentiles of both distributions. */
    public static final List<Double> PERCENTILES = List.of(5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9);

    public ShownStore {
        firstByteMicros = List.copyOf(firstByteMicros);
        streamBytesPerSecond = List.copyOf(streamBytesPerSecond);
    }
}

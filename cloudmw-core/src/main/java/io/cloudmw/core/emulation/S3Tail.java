package io.cloudmw.core.emulation;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * The law of S3 as it is today, with its tail. The first byte of a response takes a log-normal time (median 30 ms, p99
 * 200 ms), and each response then has 90 MB/s of its own. 0.3% of the responses stall for 5 s once, at a place drawn
 * evenly over their length. Every request draws for itself; the same seed and number give the same draw.
 */
record S3Tail(long seed) implements StoreLaw {
    static final String NAME = "s3-tail";
    static final Duration MEDIAN = Duration.ofMillis(30);
    static final Duration P99 = Duration.ofMillis(200);
    static final double STALL_SHARE = 0.003;
    static final Duration STALL = Duration.ofSeconds(5);
    static final long BYTES_PER_SECOND = 90_000_000;

    /** The standard normal distribution's 99th percentile. */
    private static final double NORMAL_P99 = 2.3263478740408408;

    private static final double SIGMA = Math.log((double) P99.toNanos() / MEDIAN.toNanos()) / NORMAL_P99;

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        return BYTES_PER_SECOND;
    }

    @Override
    public ResponseTiming answer(long request, long sinceStartNanos) {
        SplittableRandom draw = IndexedRandom.at(seed, request);
        long firstByte = (long) (MEDIAN.toNanos() * Math.exp(SIGMA * draw.nextGaussian()));
        boolean stalls = draw.nextDouble() < STALL_SHARE;
        return new ResponseTiming(firstByte, draw.nextDouble(), stalls ? STALL.toNanos() : 0);
    }

    @Override
    public boolean shared() {
        return false;
    }

    @Override
    public StoreLaw withSeed(long newSeed) {
        return new S3Tail(newSeed);
    }
}

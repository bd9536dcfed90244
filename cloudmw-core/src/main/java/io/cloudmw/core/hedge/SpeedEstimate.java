package io.cloudmw.core.hedge;

/**
 * The usual speed at which a store answers one helper, for requests of about one size.
 *
 * @param firstByteNanos median time to the first byte; 0: not known
 * @param lateFirstByteNanos time after which a first byte is late ({@link LateThreshold}); 0: not known
 * @param bytesPerSecond median throughput of one attempt after its first byte; 0: not known
 * @param slowBytesPerSecond 5th percentile of that throughput; 0: not known
 */
public record SpeedEstimate(
        long firstByteNanos, long lateFirstByteNanos, double bytesPerSecond, double slowBytesPerSecond) {
    public static final SpeedEstimate UNKNOWN = new SpeedEstimate(0, 0, 0, 0);

    public SpeedEstimate {
        if (firstByteNanos < 0 || lateFirstByteNanos < 0 || bytesPerSecond < 0 || slowBytesPerSecond < 0) {
            throw new IllegalArgumentException("a negative speed");
        }
    }
}

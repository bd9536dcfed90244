package io.cloudmw.core.emulation;

/**
 * The timing that a law draws for one request.
 *
 * @param firstByteNanos from the request to the first byte of its response
 * @param stallAt the place of the stall, as a share of the response's length: 0 before its first byte, below 1
 * @param stallNanos how long the stall lasts; 0: there is none
 */
public record ResponseTiming(long firstByteNanos, double stallAt, long stallNanos) {
    /** A response at once, without a stall. */
    public static final ResponseTiming PROMPT = new ResponseTiming(0, 0, 0);

    public ResponseTiming {
        if (firstByteNanos < 0 || stallNanos < 0) {
            throw new IllegalArgumentException("nanos: " + Math.min(firstByteNanos, stallNanos) + " (expected: >= 0)");
        }
        if (!(stallAt >= 0 && stallAt < 1)) {
            throw new IllegalArgumentException("stallAt: " + stallAt + " (expected: 0 <= stallAt < 1)");
        }
    }

    /** The same timing with every delay {@code factor} times as long. */
    ResponseTiming stretched(double factor) {
        return new ResponseTiming((long) (firstByteNanos * factor), stallAt, (long) (stallNanos * factor));
    }
}

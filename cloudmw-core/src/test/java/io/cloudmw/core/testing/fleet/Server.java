package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.testing.VirtualClock;
import java.util.function.LongToDoubleFunction;

/**
 * A server of bytes, one request after the other, at a rate that may change in steps: a link, or a store's capacity.
 */
final class Server {
    private final VirtualClock clock;
    private final LongToDoubleFunction bytesPerNanoAt;
    private final long stepNanos;
    private long freeAtNanos;

    /**
     * @param bytesPerNanoAt the rate at a time; constant within each step
     * @param stepNanos the length of a step
     */
    Server(VirtualClock clock, LongToDoubleFunction bytesPerNanoAt, long stepNanos) {
        this.clock = clock;
        this.bytesPerNanoAt = bytesPerNanoAt;
        this.stepNanos = stepNanos;
    }

    void serve(long bytes, Runnable served) {
        long at = Math.max(clock.nanos(), freeAtNanos);
        double left = bytes;
        while (true) {
            double rate = bytesPerNanoAt.applyAsDouble(at);
            long stepEnd = (at / stepNanos + 1) * stepNanos;
            double within = rate * (stepEnd - at);
            if (within >= left) {
                freeAtNanos = at + (long) Math.ceil(left / rate);
                clock.after(freeAtNanos - clock.nanos(), served);
                return;
            }
            left -= within;
            at = stepEnd;
        }
    }
}

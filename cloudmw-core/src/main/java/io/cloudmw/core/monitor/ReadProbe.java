package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * Watches one read for the {@link SpeedMonitor}, from its request to its end. Safe for any thread: reads are closed by
 * others than those who read. After the end nothing counts.
 *
 * <p>A read that ends without a byte, cancelled or failed, has waited at least so long. A read that ends in the middle
 * has shown its throughput up to there, the last wait included.
 */
public final class ReadProbe {
    /** Fewer bytes after the first arrival, in less than {@link #MIN_RATE_MICROS}, say nothing of the throughput. */
    static final long MIN_RATE_BYTES = 64 << 10;

    /** A stream that stood still for so long was slow, however little was to come. */
    static final long MIN_RATE_MICROS = 100_000;

    private final SpeedMonitor monitor;
    private final SpeedKey key;
    private final Ticker ticker;
    private final long startedNanos;

    @GuardedBy("this")
    private long firstByteNanos;

    @GuardedBy("this")
    private long firstBytes = -1;

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private boolean over;

    ReadProbe(SpeedMonitor monitor, SpeedKey key, Ticker ticker) {
        this.monitor = monitor;
        this.key = key;
        this.ticker = ticker;
        this.startedNanos = ticker.nanos();
    }

    SpeedKey key() {
        return key;
    }

    /** So many more bytes have arrived. */
    public synchronized void arrived(long more) {
        if (over || more <= 0) {
            return;
        }
        bytes += more;
        boolean first = firstBytes < 0;
        if (first) {
            firstBytes = more;
            firstByteNanos = ticker.nanos();
        }
        long micros = TimeUnit.NANOSECONDS.toMicros(firstByteNanos - startedNanos);
        monitor.record(key, (entry, now) -> {
            entry.bytes(more, now);
            if (first) {
                entry.firstByte(micros, now);
            }
        });
    }

    /** Everything arrived, or nobody wants the rest. Idempotent. */
    public void ended() {
        end();
    }

    /** It failed; {@link ErrorCode#CANCELLED} is no failure. */
    public void failed(ErrorCode code) {
        if (end() && code != ErrorCode.CANCELLED) {
            monitor.failed(key, code);
        }
    }

    private synchronized boolean end() {
        if (over) {
            return false;
        }
        over = true;
        long nowNanos = ticker.nanos();
        if (firstBytes < 0) {
            long micros = TimeUnit.NANOSECONDS.toMicros(nowNanos - startedNanos);
            monitor.record(key, (entry, now) -> entry.cutBeforeFirstByte(micros, now));
            return true;
        }
        long later = bytes - firstBytes;
        long micros = TimeUnit.NANOSECONDS.toMicros(nowNanos - firstByteNanos);
        if ((later >= MIN_RATE_BYTES && micros > 0) || micros >= MIN_RATE_MICROS) {
            long kibPerSecond = Math.round(later / 1024.0 * 1e6 / micros);
            monitor.record(key, (entry, now) -> entry.rate(kibPerSecond, now));
        }
        return true;
    }
}

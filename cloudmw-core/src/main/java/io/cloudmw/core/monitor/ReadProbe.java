package io.cloudmw.core.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * The probe of one read for the {@link SpeedMonitor}, from its request to its end. Safe for any thread, because
 * another thread may close a read. Nothing counts after the end.
 *
 * <p>A read that ends without a byte, cancelled or failed, has waited at least that long. A read that ends in the
 * middle has shown its throughput up to there, the last wait included.
 */
public final class ReadProbe {
    /** Fewer bytes after the first arrival, in less than {@link #MIN_RATE_MICROS}, do not show the throughput. */
    static final long MIN_RATE_BYTES = 64 << 10;

    /** A reader that stays away for longer has paused: what comes next waited for it in the socket. */
    static final long PAUSE_NANOS = 5_000_000;

    /** A stream that stalled for so long was slow, however few bytes were left. */
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
    private long lastArrivalNanos;

    /** True after the throughput was recorded, because the reader paused. */
    @GuardedBy("this")
    private boolean rated;

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

    /** Notes that the reader asks for more. The throughput is the one up to the reader's first long pause. */
    public synchronized void asked() {
        if (!over && !rated && firstBytes >= 0 && ticker.nanos() - lastArrivalNanos > PAUSE_NANOS) {
            rate(lastArrivalNanos);
        }
    }

    /** Counts bytes that have arrived. */
    public synchronized void arrived(long more) {
        if (over || more <= 0) {
            return;
        }
        bytes += more;
        lastArrivalNanos = ticker.nanos();
        boolean first = firstBytes < 0;
        if (first) {
            firstBytes = more;
            firstByteNanos = lastArrivalNanos;
        }
        long micros = TimeUnit.NANOSECONDS.toMicros(firstByteNanos - startedNanos);
        monitor.record(key, (entry, now) -> {
            entry.bytes(more, now);
            if (first) {
                entry.firstByte(micros, now);
            }
        });
    }

    /** Ends the read: every byte has arrived, or the rest is not wanted. Idempotent. */
    public void ended() {
        end();
    }

    /** Ends the read with a failure; {@link ErrorCode#CANCELLED} is no failure. */
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
        rate(nowNanos);
        return true;
    }

    /** Records the throughput between the first byte and {@code nanos}, once, if so much shows it. */
    @GuardedBy("this")
    private void rate(long nanos) {
        long later = bytes - firstBytes;
        long micros = TimeUnit.NANOSECONDS.toMicros(nanos - firstByteNanos);
        if (!rated && ((later >= MIN_RATE_BYTES && micros > 0) || micros >= MIN_RATE_MICROS)) {
            long kibPerSecond = Math.round(later / 1024.0 * 1e6 / micros);
            monitor.record(key, (entry, now) -> entry.rate(kibPerSecond, now));
        }
        rated = true;
    }
}

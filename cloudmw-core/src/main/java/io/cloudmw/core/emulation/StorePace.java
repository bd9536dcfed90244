package io.cloudmw.core.emulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The pace of one store under a law: it numbers the requests and computes when their bytes arrive. Its clock starts
 * with its first use. Safe for any thread.
 */
public final class StorePace {
    private final StoreLaw law;
    private final Ticker ticker;
    private final AtomicLong requests = new AtomicLong();

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private long startNanos;

    /** The time at which a store with a shared speed has sent all that was requested so far. */
    @GuardedBy("this")
    private long busyUntilNanos;

    public StorePace(StoreLaw law, Ticker ticker) {
        this.law = law;
        this.ticker = ticker;
    }

    /** The time since the store's start, which is the first call of any method. */
    public synchronized long elapsedNanos() {
        long now = ticker.nanos();
        if (!started) {
            started = true;
            startNanos = now;
        }
        return now - startNanos;
    }

    /** Begins a request now. */
    public ResponsePace request() {
        long now = elapsedNanos();
        return new ResponsePace(this, now, law.answer(requests.getAndIncrement(), now));
    }

    long bytesPerSecond() {
        return law.bytesPerSecondAt(elapsedNanos());
    }

    /**
     * Queues bytes behind those sent before by this response, or, at a shared speed, by any response.
     *
     * @param fromNanos when the response could send them at the earliest
     * @return when they arrive
     */
    long send(long fromNanos, long bytes) {
        if (!law.shared()) {
            return fromNanos + transferNanos(fromNanos, bytes);
        }
        synchronized (this) {
            long from = Math.max(fromNanos, busyUntilNanos);
            busyUntilNanos = from + transferNanos(from, bytes);
            return busyUntilNanos;
        }
    }

    private long transferNanos(long atNanos, long bytes) {
        return (long) (bytes * 1e9 / law.bytesPerSecondAt(Math.max(0, atNanos)));
    }
}

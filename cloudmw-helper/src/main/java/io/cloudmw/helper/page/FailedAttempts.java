package io.cloudmw.helper.page;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/** The limit of wrong tokens: {@value #PER_SECOND} a second, from all callers together. Safe for any thread. */
final class FailedAttempts {
    static final int PER_SECOND = 5;

    private final Ticker ticker;

    @GuardedBy("this")
    private double left = PER_SECOND;

    @GuardedBy("this")
    private long countedNanos;

    FailedAttempts(Ticker ticker) {
        this.ticker = ticker;
        this.countedNanos = ticker.nanos();
    }

    /** Returns whether a token may be checked now. */
    synchronized boolean mayTry() {
        long now = ticker.nanos();
        left = Math.min(PER_SECOND, left + (now - countedNanos) * (double) PER_SECOND / TimeUnit.SECONDS.toNanos(1));
        countedNanos = now;
        return left >= 1;
    }

    /** Counts a wrong token. */
    synchronized void failed() {
        left = Math.max(0, left - 1);
    }
}

package io.cloudmw.core.store.s3;

import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The way to one bucket for reads that make up for late ones: over connections that ordinary reads do not exhaust. So that
 * one is open when it is needed, and nobody waits for a handshake then, an ordinary read goes this way now and then: when
 * none has for {@value #WARM_SECONDS} s, one at a time. It costs no request of its own. Safe for any thread.
 */
final class ExtraClient {
    /** Servers close what is idle for longer than this, some of them soon after. */
    static final int WARM_SECONDS = 4;

    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(WARM_SECONDS);

    private final S3Client client;
    private final Ticker ticker;
    private final AtomicLong usedNanos;
    private final AtomicBoolean warming = new AtomicBoolean();

    ExtraClient(S3Client client, Ticker ticker) {
        this.client = client;
        this.ticker = ticker;
        usedNanos = new AtomicLong(ticker.nanos() - WARM_NANOS);
    }

    S3Client client() {
        return client;
    }

    /** It is used now. */
    void used() {
        usedNanos.set(ticker.nanos());
    }

    /** Whether the ordinary read that asks should go this way; if so, {@link #warmed} when it is over. */
    boolean warm() {
        boolean due = ticker.nanos() - usedNanos.get() >= WARM_NANOS && warming.compareAndSet(false, true);
        if (due) {
            used();
        }
        return due;
    }

    /** The connection is free again. */
    void warmed() {
        used();
        warming.set(false);
    }
}

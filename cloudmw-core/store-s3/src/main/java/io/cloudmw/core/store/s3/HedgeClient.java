package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The way to one bucket for reads that make up for late ones: over connections that ordinary reads do not exhaust. So that
 * some are open when they are needed, and nobody waits for a handshake then, ordinary reads go this way now and then: as
 * many at once as connections are to be kept open, each of which was not used for {@value #WARM_SECONDS} s. It costs no
 * request of its own. Safe for any thread.
 */
final class HedgeClient {
    /** Servers close what is idle for longer than this, some of them soon after. */
    static final int WARM_SECONDS = 4;

    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(WARM_SECONDS);

    private final S3Client client;
    private final Ticker ticker;
    private final Semaphore warmReads;

    /** At i: when i + 1 connections were last used at once. */
    @GuardedBy("this")
    private final long[] usedNanos;

    @GuardedBy("this")
    private int inUse;

    /**
     * Opens nothing.
     *
     * @param warm connections kept open
     * @param warmReads ordinary reads that may go this way at once, to all buckets together
     */
    HedgeClient(S3Client client, int warm, Semaphore warmReads, Ticker ticker) {
        this.client = client;
        this.ticker = ticker;
        this.warmReads = warmReads;
        this.usedNanos = new long[warm];
        Arrays.fill(usedNanos, ticker.nanos() - WARM_NANOS);
    }

    S3Client client() {
        return client;
    }

    /** One more connection is used, until {@link #free}. */
    synchronized void use() {
        inUse++;
        used();
    }

    synchronized void free() {
        used();
        inUse--;
    }

    @GuardedBy("this")
    private void used() {
        Arrays.fill(usedNanos, 0, Math.min(inUse, usedNanos.length), ticker.nanos());
    }

    /** Whether the ordinary read that asks should go this way; if so, {@link #warmed} when it is over. */
    synchronized boolean warm() {
        boolean isDue =
                inUse < usedNanos.length && ticker.nanos() - usedNanos[inUse] >= WARM_NANOS && warmReads.tryAcquire();
        if (isDue) {
            use();
        }
        return isDue;
    }

    /** The connection is free again. */
    void warmed() {
        free();
        warmReads.release();
    }
}

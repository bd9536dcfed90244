package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The client of one bucket for second attempts beside late reads, over connections that ordinary reads do not exhaust.
 * Ordinary reads use it now and then, so that some connections are open and no hedge waits for a handshake. That keeps
 * as many open as configured, each unused for less than {@value #WARM_SECONDS} s, without a request of its own. Safe
 * for any thread.
 */
final class HedgeClient {
    /** The time after which servers close idle connections, some of them soon after. */
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
     * Opens no connection.
     *
     * @param warm connections kept open
     * @param warmReads ordinary reads that may use these connections at once, to all buckets together
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

    /** Counts a connection as used, until {@link #free}. */
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

    /** Returns whether the calling ordinary read should use this client; if so, it calls {@link #warmed} at its end. */
    synchronized boolean warm() {
        boolean isDue =
                inUse < usedNanos.length && ticker.nanos() - usedNanos[inUse] >= WARM_NANOS && warmReads.tryAcquire();
        if (isDue) {
            use();
        }
        return isDue;
    }

    /** Counts the connection as free again. */
    void warmed() {
        free();
        warmReads.release();
    }
}

package io.cloudmw.lab.race;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.emulation.ResponsePace;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.emulation.StorePace;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/**
 * The destination of one read. Takes bytes at the speed of an emulated network interface and drops them. The client
 * grants its helpers credit for bytes taken, so they feel the same back-pressure as from a real destination. Safe for
 * any thread.
 */
final class PacedTarget implements PositionalTarget {
    private final StorePace clock;
    private final Sleeper sleeper;

    @GuardedBy("this")
    private final ResponsePace pace;

    /**
     * Creates a target whose clock starts now.
     *
     * @param law of a constant speed
     */
    PacedTarget(StoreLaw law, Ticker ticker, Sleeper sleeper) {
        clock = new StorePace(law, ticker);
        pace = clock.request();
        this.sleeper = sleeper;
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws InterruptedIOException {
        long due;
        synchronized (this) {
            due = pace.arrivalNanos(bytes.remaining());
        }
        bytes.position(bytes.limit());
        try {
            sleeper.sleep(due - clock.elapsedNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}

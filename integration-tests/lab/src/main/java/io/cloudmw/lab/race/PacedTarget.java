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
 * The destination of one read: takes bytes no faster than its network interface does, and forgets them. The client grants
 * its helpers credit for what this has taken, so they are held back as by a real one. Safe for any thread.
 */
final class PacedTarget implements PositionalTarget {
    private final StorePace clock;
    private final Sleeper sleeper;

    @GuardedBy("this")
    private final ResponsePace pace;

    /** @param law of a constant speed; its clock starts now */
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

package io.cloudmw.client.handle;

import io.cloudmw.core.time.Pace;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How threads wait for small reads: asleep, or, while reads follow one another at a fast {@link Pace}, awake for a time, which
 * spares the read the time it takes to wake them. One thread at a time of those that wait for one client's reads, and it gives its processor
 * to whoever else can use it. Safe for any thread.
 */
final class SpinWait {
    private final Pace pace;
    private final Ticker ticker;
    private final AtomicBoolean awake = new AtomicBoolean();

    SpinWait(Pace pace, Ticker ticker) {
        this.pace = pace;
        this.ticker = ticker;
    }

    /** Of a read that begins now. */
    CompletableFuture<Integer> result() {
        return pace.next() ? new Awaited() : new CompletableFuture<>();
    }

    private final class Awaited extends CompletableFuture<Integer> {
        @Override
        public Integer join() {
            stayAwake();
            return super.join();
        }

        @Override
        public Integer get() throws InterruptedException, ExecutionException {
            stayAwake();
            return super.get();
        }

        @Override
        public Integer get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            long begun = ticker.nanos();
            if (unit.toNanos(timeout) > pace.awakeNanos()) {
                stayAwake();
            }
            return super.get(unit.toNanos(timeout) - (ticker.nanos() - begun), TimeUnit.NANOSECONDS);
        }

        private void stayAwake() {
            if (isDone() || !awake.compareAndSet(false, true)) {
                return;
            }
            try {
                long until = ticker.nanos() + pace.awakeNanos();
                while (!isDone() && !Thread.currentThread().isInterrupted()) {
                    if (until - ticker.nanos() <= 0) {
                        pace.inVain();
                        return;
                    }
                    pace.giveWay();
                }
            } finally {
                awake.set(false);
            }
        }
    }
}

package io.cloudmw.client.handle;

import io.cloudmw.core.time.PollingPolicy;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A wait for small reads that sleeps, or spins while reads follow one another at a fast {@link PollingPolicy}. Spinning
 * saves the read the time to wake the thread. At most one thread of a client spins at a time, and it yields its
 * processor to other threads. Safe for any thread.
 */
final class SpinWait {
    private final PollingPolicy polling;
    private final Ticker ticker;
    private final AtomicBoolean awake = new AtomicBoolean();

    SpinWait(PollingPolicy polling, Ticker ticker) {
        this.polling = polling;
        this.ticker = ticker;
    }

    /** The result of a read that begins now. */
    CompletableFuture<Integer> result() {
        return polling.next() ? new Awaited() : new CompletableFuture<>();
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
            if (unit.toNanos(timeout) > polling.awakeNanos()) {
                stayAwake();
            }
            return super.get(unit.toNanos(timeout) - (ticker.nanos() - begun), TimeUnit.NANOSECONDS);
        }

        private void stayAwake() {
            if (isDone() || !awake.compareAndSet(false, true)) {
                return;
            }
            try {
                long until = ticker.nanos() + polling.awakeNanos();
                while (!isDone() && !Thread.currentThread().isInterrupted()) {
                    if (until - ticker.nanos() <= 0) {
                        polling.pollEndedInVain();
                        return;
                    }
                    polling.yieldProcessor();
                }
            } finally {
                awake.set(false);
            }
        }
    }
}

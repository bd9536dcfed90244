package io.cloudmw.client.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.time.PollingPolicy;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits, asleep and spinning, for the results of futures. */
@Timeout(60)
final class SpinWaitTest {
    private static final Duration AWAKE = Duration.ofMillis(2);

    private final FakeTicker ticker = new FakeTicker();
    private final SpinWait waiting =
            new SpinWait(new PollingPolicy(AWAKE, ticker, Thread::onSpinWait), Ticker.system());

    /** The result of one of many reads in close succession. */
    private CompletableFuture<Integer> inASequence() {
        CompletableFuture<Integer> last = waiting.result();
        for (int i = 0; i < 100; i++) {
            last = waiting.result();
        }
        assertThat(last.getClass()).isNotEqualTo(CompletableFuture.class);
        return last;
    }

    @Test
    void singleReadIsWaitedForAsleep() {
        ticker.advance(Duration.ofSeconds(1));
        assertThat(waiting.result().getClass()).isEqualTo(CompletableFuture.class);
    }

    @Test
    void presentResultIsReturnedAtOnce() throws Exception {
        CompletableFuture<Integer> read = inASequence();
        read.complete(7);
        assertThat(read.join()).isEqualTo(7);
        assertThat(read.get()).isEqualTo(7);
        assertThat(read.get(1, TimeUnit.SECONDS)).isEqualTo(7);
    }

    @Test
    void resultReachesSpinningAndSleepingWaiters() {
        List<CompletableFuture<Integer>> reads = new ArrayList<>();
        List<CompletableFuture<Integer>> joined = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Integer> read = inASequence();
            reads.add(read);
            joined.add(CompletableFuture.supplyAsync(read::join, task -> new Thread(task, "waits").start()));
        }
        CompletableFuture.delayedExecutor(3 * AWAKE.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> reads.forEach(read -> read.complete(7)));
        joined.forEach(value -> assertThat(value.join()).isEqualTo(7));
    }

    @Test
    void failureReachesTheWaiter() {
        CompletableFuture<Integer> read = inASequence();
        read.completeExceptionally(new IllegalStateException("broken"));
        assertThatThrownBy(read::get).isInstanceOf(ExecutionException.class).hasRootCauseMessage("broken");
        CompletableFuture<Integer> cancelled = inASequence();
        assertThat(cancelled.cancel(true)).isTrue();
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void waitEndsAtItsTimeout() {
        CompletableFuture<Integer> read = inASequence();
        assertThatThrownBy(() -> read.get(5, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> read.get(1, TimeUnit.NANOSECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void spinningCountsTowardsTheTimeout() {
        AtomicLong hours = new AtomicLong();
        SpinWait slow = new SpinWait(
                new PollingPolicy(AWAKE, ticker, Thread::onSpinWait),
                () -> Duration.ofHours(hours.getAndIncrement()).toNanos());
        CompletableFuture<Integer> read = slow.result();
        for (int i = 0; i < 100; i++) {
            read = slow.result();
        }
        CompletableFuture<Integer> last = read;
        assertThatThrownBy(() -> last.get(1, TimeUnit.HOURS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void interruptedWaiterStops() {
        CompletableFuture<Integer> read = inASequence();
        Thread.currentThread().interrupt();
        assertThatThrownBy(read::get).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }
}

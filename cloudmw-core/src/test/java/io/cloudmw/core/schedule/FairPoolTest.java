package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FairPoolTest {
    private static final long MIB = 1L << 20;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    private FairPool pool(int threads, ScheduleLimits limits) {
        return new FairPool("test", threads, limits, Ticker.system(), timer, new ScheduleMetrics(meters, "test"));
    }

    private static Tenant tenant(String client, Priority priority) {
        return new Tenant(client, "v", priority);
    }

    private ScheduledWork<FairPool.Task> submit(FairPool pool, String client, Priority priority)
            throws CloudMwException {
        return pool.submit(tenant(client, priority), MIB, OptionalLong.empty(), () -> {
            begun.add(client);
            return MIB;
        });
    }

    /** All threads of the pool wait at the gate. */
    private void occupy(FairPool pool, int threads) throws Exception {
        CountDownLatch all = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            pool.submit(tenant("first", Priority.INTERACTIVE), MIB, OptionalLong.empty(), () -> {
                all.countDown();
                await(gate);
                return MIB;
            });
        }
        await(all);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void waitingWorkRunsInTheSchedulersOrder() throws Exception {
        try (FairPool pool = pool(1, ScheduleLimits.uncapped(1000, 1000))) {
            occupy(pool, 1);
            for (int i = 0; i < 64; i++) {
                submit(pool, "greedy", Priority.BATCH);
            }
            submit(pool, "small", Priority.BATCH);
            submit(pool, "urgent", Priority.INTERACTIVE);
            gate.countDown();

            assertThat(List.of(begun.take(), begun.take(), begun.take())).containsExactly("urgent", "greedy", "small");
            for (int i = 1; i < 64; i++) {
                assertThat(begun.take()).isEqualTo("greedy");
            }
        }
    }

    @Test
    void runningWorkIsLimitedByThreads_andAllOfItRuns() throws Exception {
        int tasks = 500;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(tasks);
        try (FairPool pool = pool(4, ScheduleLimits.uncapped(1000, 1000))) {
            for (int i = 0; i < tasks; i++) {
                pool.submit(
                        tenant("c" + i % 7, List.of(Priority.values()).get(i % 4)), MIB, OptionalLong.empty(), () -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            Thread.onSpinWait();
                            running.decrementAndGet();
                            done.countDown();
                            return MIB;
                        });
            }
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(most.get()).isBetween(1, 4);
    }

    @Test
    void waitingWorkCanBeWithdrawn_runningWorkCannot() throws Exception {
        try (FairPool pool = pool(1, ScheduleLimits.uncapped(10, 10))) {
            occupy(pool, 1);
            ScheduledWork<FairPool.Task> back = submit(pool, "back", Priority.BATCH);
            ScheduledWork<FairPool.Task> stays = submit(pool, "stays", Priority.BATCH);

            assertThat(pool.withdraw(back)).isTrue();
            gate.countDown();

            assertThat(begun.take()).isEqualTo("stays");
            assertThat(pool.withdraw(stays)).isFalse();
            assertThat(begun).isEmpty();
        }
    }

    @Test
    void workBeyondTheLimitsIsRefusedAndCounted() throws Exception {
        try (FairPool pool = pool(1, ScheduleLimits.uncapped(3, 2))) {
            occupy(pool, 1);
            submit(pool, "greedy", Priority.BATCH);
            submit(pool, "greedy", Priority.BATCH);

            assertThatThrownBy(() -> submit(pool, "greedy", Priority.BATCH))
                    .isInstanceOfSatisfying(CloudMwException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                        assertThat(e.retryAfter()).isPresent();
                    });
            submit(pool, "small", Priority.INTERACTIVE);

            assertThat(meter(ScheduleMetrics.REFUSED, Priority.BATCH).counter().count())
                    .isEqualTo(1);
            assertThat(meter(ScheduleMetrics.QUEUED, Priority.BATCH).gauge().value())
                    .isEqualTo(2);
            assertThat(meter(ScheduleMetrics.QUEUED, Priority.INTERACTIVE)
                            .gauge()
                            .value())
                    .isEqualTo(1);
            gate.countDown();
            assertThat(List.of(begun.take(), begun.take(), begun.take())).containsExactly("small", "greedy", "greedy");
        }
        assertThat(meter(ScheduleMetrics.WAIT, Priority.BATCH).timer().count()).isEqualTo(2);
    }

    private io.micrometer.core.instrument.search.RequiredSearch meter(String name, Priority priority) {
        return meters.get(name).tag(ScheduleMetrics.PRIORITY, priority.label());
    }

    /** The first piece overdraws the cap by a little; nothing but the timer can begin the second. */
    @Test
    void cappedWorkBeginsWhenTheCapLetsItThrough() throws Exception {
        ScheduleLimits limits = new ScheduleLimits(10, 10, OptionalLong.of(2 * MIB), OptionalLong.empty());
        try (FairPool pool = pool(2, limits)) {
            pool.submit(tenant("c", Priority.BATCH), 3 * MIB, OptionalLong.empty(), () -> {
                begun.add("first");
                return 3 * MIB;
            });
            assertThat(begun.take()).isEqualTo("first");

            submit(pool, "c", Priority.BATCH);
            submit(pool, "free", Priority.BATCH);

            assertThat(List.of(begun.take(), begun.take())).containsExactly("free", "c");
        }
    }

    /**
     * The excess charge would have held up the other client for 17 minutes, and its thread was to be woken after that.
     */
    @Test
    void returnedBytesWakeWaitersForTheCapSooner() throws Exception {
        ScheduleLimits limits = new ScheduleLimits(10, 10, OptionalLong.empty(), OptionalLong.of(MIB));
        try (FairPool pool = pool(2, limits)) {
            pool.submit(tenant("copier", Priority.REPAIR), 1024 * MIB, OptionalLong.empty(), () -> {
                begun.add("copy");
                await(gate);
                return MIB + MIB / 10;
            });
            assertThat(begun.take()).isEqualTo("copy");
            submit(pool, "reader", Priority.BATCH);
            pool.submit(new Tenant("free", "other", Priority.BATCH), MIB, OptionalLong.empty(), () -> {
                begun.add("free");
                return MIB;
            });
            assertThat(begun.take()).isEqualTo("free");
            gate.countDown();

            assertThat(begun.poll(30, TimeUnit.SECONDS)).isEqualTo("reader");
        }
    }

    @Test
    void workThatFailsByADefectCostsNoThread() throws Exception {
        try (FairPool pool = pool(1, ScheduleLimits.uncapped(10, 10))) {
            pool.submit(tenant("c", Priority.BATCH), MIB, OptionalLong.empty(), () -> {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("thrown by a test");
            });
            pool.submit(tenant("c", Priority.BATCH), MIB, OptionalLong.empty(), () -> {
                begun.add("interrupted: " + Thread.currentThread().isInterrupted());
                return MIB;
            });

            assertThat(begun.take()).isEqualTo("interrupted: false");
        }
    }

    @Test
    void aPoolThatIsClosedTakesNothing() throws Exception {
        FairPool pool = pool(1, ScheduleLimits.uncapped(10, 10));
        occupy(pool, 1);
        submit(pool, "dropped", Priority.BATCH);
        pool.close(); // interrupts the work at the gate
        pool.close();

        assertThatThrownBy(() -> submit(pool, "late", Priority.BATCH))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(begun).isEmpty();
    }
}

package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class VolumeWriteLockTest {
    private static final VolumeName VOLUME = new VolumeName("v");

    private final AtomicLong nanos = new AtomicLong(5);
    private final VolumeWriteLock turns = new VolumeWriteLock(nanos::get);

    /** Runs on a thread of its own. */
    private CompletableFuture<CloudMwException> failureOfAnother(VolumeName volume) {
        return CompletableFuture.supplyAsync(() -> catchThrowableOfType(
                CloudMwException.class, () -> turns.take(volume).run()));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void stalledHolderDelaysNoCallersAndOtherVolumesContinue() throws Exception {
        Runnable end = turns.take(VOLUME);
        nanos.addAndGet(VolumeWriteLock.LONGEST.toNanos());
        assertThat(failureOfAnother(VOLUME).get().code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(failureOfAnother(new VolumeName("w")).get()).isNull();
        end.run();
        assertThat(failureOfAnother(VOLUME).get()).isNull();
    }

    /**
     * A new holder that could not yet record its start is not taken for one that has held the lock since the previous
     * start.
     */
    @Test
    void newHolderIsNotTakenForALongHolder() throws Exception {
        CountDownLatch got = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Thread> held = new AtomicReference<>();
        AtomicInteger asked = new AtomicInteger();
        VolumeWriteLock slow = new VolumeWriteLock(() -> {
            // The ticker is read three times: for the deadline, for the remaining time, and for the start of the hold.
            if (Thread.currentThread().equals(held.get()) && asked.incrementAndGet() == 3) {
                got.countDown();
                await(goOn);
            }
            return nanos.get();
        });
        slow.take(VOLUME).run();
        nanos.addAndGet(10 * VolumeWriteLock.LONGEST.toNanos());
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
            held.set(Thread.currentThread());
            assertThatCode(() -> slow.take(VOLUME).run()).doesNotThrowAnyException();
        });
        got.await();
        CompletableFuture<Void> second = CompletableFuture.runAsync(
                () -> assertThatCode(() -> slow.take(VOLUME).run()).doesNotThrowAnyException());
        assertThat(second).isNotDone();
        goOn.countDown();
        first.get();
        second.get();
    }

    /** A counter without another guard stays right; the clock stands still, so that all may wait. */
    @Test
    void lockHasOneHolderAtATime() throws Exception {
        int[] counted = {0};
        CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = CompletableFuture.runAsync(() -> {
                try {
                    for (int turn = 0; turn < 5_000; turn++) {
                        Runnable ending = turns.take(VOLUME);
                        counted[0]++;
                        ending.run();
                    }
                } catch (CloudMwException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        CompletableFuture.allOf(threads).get();
        assertThat(counted[0]).isEqualTo(20_000);
    }
}

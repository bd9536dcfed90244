package io.cloudmw.core.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SerialExecutorTest {
    private final ThreadPoolExecutor threads = Threads.blocking("test", 4, 4);
    private final List<Throwable> defects = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void tasksRunInOrderAndNeverTwoAtOnce() throws InterruptedException {
        SerialExecutor serial = new SerialExecutor(threads, defects::add);
        List<Integer> ran = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 1000; i++) {
            int task = i;
            serial.execute(() -> ran.add(task));
        }
        serial.execute(done::countDown);
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ran)
                .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void anEmptyQueueTakesNoThread() {
        List<Runnable> asked = new ArrayList<>();
        SerialExecutor serial = new SerialExecutor(asked::add, defects::add, 1);
        List<String> ran = new ArrayList<>();
        serial.execute(() -> ran.add("first"));
        serial.execute(() -> ran.add("second"));
        for (int i = 0; i < asked.size(); i++) {
            asked.get(i).run();
        }
        assertThat(ran).containsExactly("first", "second");
        assertThat(asked).hasSize(2);
    }

    @Test
    void aTaskThatThrowsIsToldAndDoesNotStopTheNext() throws InterruptedException {
        SerialExecutor serial = new SerialExecutor(threads, defect -> {
            defects.add(defect);
            throw new IllegalStateException("telling fails too");
        });
        IllegalStateException exception = new IllegalStateException("on purpose");
        OutOfMemoryError error = new OutOfMemoryError("on purpose");
        CountDownLatch done = new CountDownLatch(1);
        serial.execute(() -> {
            throw exception;
        });
        serial.execute(() -> {
            throw error;
        });
        serial.execute(done::countDown);
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(defects).containsExactly(exception, error);
    }

    @Test
    void tasksRunOnTheCallersThreadWhenNoThreadCanBeStarted() {
        List<String> ran = new ArrayList<>();
        SerialExecutor serial = new SerialExecutor(
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                defects::add);
        serial.execute(() -> ran.add("first"));
        serial.execute(() -> ran.add("second"));
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void tasksRunOnTheCallersThreadWhenTheThreadsAreClosing() {
        threads.shutdown();
        List<String> ran = new ArrayList<>();
        new SerialExecutor(threads, defects::add)
                .execute(() -> ran.add(Thread.currentThread().getName()));
        assertThat(ran).containsExactly(Thread.currentThread().getName());
    }
}

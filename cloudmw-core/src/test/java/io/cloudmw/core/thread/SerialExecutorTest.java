package io.cloudmw.core.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SerialExecutorTest {
    private final ThreadPoolExecutor threads = Threads.blocking("test", 4, 4);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void tasksRunInOrderAndNeverTwoAtOnce() throws InterruptedException {
        SerialExecutor serial = new SerialExecutor(threads);
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
    void aTaskThatThrowsDoesNotStopTheNext() throws InterruptedException {
        SerialExecutor serial = new SerialExecutor(threads);
        CountDownLatch done = new CountDownLatch(1);
        serial.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        serial.execute(done::countDown);
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whenTheThreadsAreClosingTasksRunHere() {
        threads.shutdown();
        List<String> ran = new ArrayList<>();
        new SerialExecutor(threads).execute(() -> ran.add(Thread.currentThread().getName()));
        assertThat(ran).containsExactly(Thread.currentThread().getName());
    }
}

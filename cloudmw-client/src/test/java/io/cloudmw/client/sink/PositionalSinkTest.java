package io.cloudmw.client.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PositionalSinkTest {
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final PositionalSink sink = new PositionalSink(this::write, new ByteRange(0, 100));

    private void write(long offset, ByteBuffer bytes) {
        entered.countDown();
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        written.add(offset + "+" + bytes.remaining());
    }

    private Thread writing() {
        Thread writer = new Thread(() -> {
            try {
                sink.write(10, ByteBuffer.allocate(20));
            } catch (CloudMwException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        return writer;
    }

    @Test
    void commitWaitsForPendingWritesAndLetsNoOtherBegin() throws Exception {
        Thread writer = writing();
        entered.await();
        Thread ending = new Thread(sink::commit);
        ending.start();
        await().until(() -> ending.getState() == Thread.State.WAITING);
        assertThat(written).isEmpty();
        goOn.countDown();
        ending.join();
        assertThat(written).containsExactly("10+20");
        sink.write(30, ByteBuffer.allocate(20));
        assertThat(written).containsExactly("10+20");
        writer.join();
    }

    @Test
    void failedSinkBeginsNoWriteAndDoesNotWaitForABlockedTarget() throws Exception {
        Thread writer = writing();
        entered.await();
        sink.abort();
        sink.write(30, ByteBuffer.allocate(20));
        goOn.countDown();
        writer.join();
        assertThat(written).containsExactly("10+20");
    }
}

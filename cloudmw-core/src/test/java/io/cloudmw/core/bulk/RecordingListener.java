package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A listener that records a stream's events. */
class RecordingListener implements BulkStreamListener {
    final CompletableFuture<byte[]> ended = new CompletableFuture<>();
    final CompletableFuture<CloudMwException> failed = new CompletableFuture<>();
    final AtomicInteger grants = new AtomicInteger();
    final AtomicInteger failures = new AtomicInteger();
    final AtomicLong received = new AtomicLong();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();

    /** Opens a stream, reads it to its end and returns its bytes, of which there are at most so many. */
    static byte[] read(BulkConnection connection, int bytes) throws Exception {
        RecordingListener received = new RecordingListener();
        BulkStream stream = connection.open("read".getBytes(StandardCharsets.UTF_8), received);
        stream.end(new byte[0]);
        stream.grant(bytes);
        received.awaitEnd();
        return received.content();
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes);
        payload.release();
        synchronized (content) {
            content.writeBytes(bytes);
        }
        received.addAndGet(bytes.length);
    }

    @Override
    public void ended(byte[] trailer) {
        ended.complete(trailer);
    }

    @Override
    public void granted() {
        grants.incrementAndGet();
    }

    @Override
    public void failed(CloudMwException cause) {
        failures.incrementAndGet();
        failed.complete(cause);
    }

    byte[] content() {
        synchronized (content) {
            return content.toByteArray();
        }
    }

    byte[] awaitEnd() throws Exception {
        return ended.get(20, TimeUnit.SECONDS);
    }

    CloudMwException awaitFailure() throws Exception {
        return failed.get(20, TimeUnit.SECONDS);
    }
}

package io.cloudmw.it;

import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The events of a stream of a drill. */
final class DrillStream implements BulkStreamListener {
    private final CompletableFuture<Optional<CloudMwException>> over = new CompletableFuture<>();
    private final AtomicLong received = new AtomicLong();
    private final CompletableFuture<Void> granted = new CompletableFuture<>();

    @Override
    public void data(ByteBuf payload, int crc32c) {
        received.addAndGet(payload.readableBytes());
        payload.release();
    }

    @Override
    public void ended(byte[] trailer) {
        over.complete(Optional.empty());
    }

    @Override
    public void granted() {
        granted.complete(null);
    }

    @Override
    public void failed(CloudMwException cause) {
        over.complete(Optional.of(cause));
    }

    /** The bytes that came so far. */
    long received() {
        return received.get();
    }

    /** Waits until the other side takes bytes. */
    void awaitCredit() throws Exception {
        granted.get(60, TimeUnit.SECONDS);
    }

    boolean isOver() {
        return over.isDone();
    }

    /** Waits for the end of the stream: its failure; empty: it ended properly. */
    Optional<CloudMwException> end() throws Exception {
        return over.get(60, TimeUnit.SECONDS);
    }

    /** Waits for the end of the stream, which must be a failure. */
    CloudMwException failure() throws Exception {
        return end().orElseThrow(() -> new AssertionError("the stream ended properly"));
    }
}

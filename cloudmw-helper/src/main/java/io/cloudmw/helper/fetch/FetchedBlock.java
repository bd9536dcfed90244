package io.cloudmw.helper.fetch;

import io.cloudmw.core.bulk.BulkStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A block, as far as it is fetched, kept until it is closed. Safe for any thread. Sends under way keep what they
 * send from; the last of them frees it.
 */
public abstract class FetchedBlock implements AutoCloseable {
    private final WantedBlock block;
    private final AtomicInteger uses = new AtomicInteger(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long availableBytes;

    FetchedBlock(WantedBlock block) {
        this.block = block;
    }

    /** So much of it may be sent now. */
    final void arrived(long bytes) {
        availableBytes = bytes;
    }

    /** How much of it is there and may be sent, from its first byte: whole leaves. */
    public final long availableBytes() {
        return availableBytes;
    }

    /** What it holds, or will. */
    public final WantedBlock block() {
        return block;
    }

    /**
     * Sends one leaf that is available as one data frame; the caller has seen that the stream has the credit for it.
     *
     * @return as {@link BulkStream#send} answers; fails when this block is closed
     */
    public final CompletableFuture<Void> send(BulkStream stream, int leaf) {
        if (!retain()) {
            return CompletableFuture.failedFuture(new IllegalStateException("block is closed"));
        }
        CompletableFuture<Void> sent;
        try {
            sent = sendRetained(stream, leaf);
        } catch (RuntimeException | Error e) {
            release();
            throw e;
        }
        return sent.whenComplete((nothing, error) -> release());
    }

    /** Lets go of the bytes; what is being sent goes first. Idempotent. */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    abstract CompletableFuture<Void> sendRetained(BulkStream stream, int leaf);

    /** Frees everything; called once. */
    abstract void free();

    private boolean retain() {
        int now;
        do {
            now = uses.get();
            if (now == 0 || closed.get()) {
                return false;
            }
        } while (!uses.compareAndSet(now, now + 1));
        return true;
    }

    private void release() {
        if (uses.decrementAndGet() == 0) {
            free();
        }
    }
}

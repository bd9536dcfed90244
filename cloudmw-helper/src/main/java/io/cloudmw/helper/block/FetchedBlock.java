package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A block as far as it is fetched. The block is kept until it is closed and the last send under way has ended. Safe for
 * any thread.
 */
public abstract class FetchedBlock extends RefCounted implements AutoCloseable {
    private final WantedBlock block;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long availableBytes;

    public FetchedBlock(WantedBlock block) {
        this.block = block;
    }

    /** Notes how many bytes, from the first, may be sent now. */
    public final void arrived(long bytes) {
        availableBytes = bytes;
    }

    /** Bytes that are here and may be sent, from the first byte on: whole leaves. */
    public final long availableBytes() {
        return availableBytes;
    }

    /** The block that this holds, or will hold. */
    public final WantedBlock block() {
        return block;
    }

    /**
     * Sends one leaf as one data frame if it is here. The caller has checked that the stream has the credit.
     *
     * @return the future of {@link BulkStream#send}, which fails when this block is closed; null when the leaf is not
     *     here and nothing was sent. The attempt's listener hears when more arrives
     */
    public final @Nullable CompletableFuture<Void> send(BulkStream stream, int leaf) {
        if (!has(leaf)) {
            return null;
        }
        return retainIfOpen()
                ? sendAndRelease(stream, leaf)
                : CompletableFuture.failedFuture(new IllegalStateException("block is closed"));
    }

    /** Sends one leaf, and takes over a reference to this block. Null when the leaf is not here. */
    public final @Nullable CompletableFuture<Void> sendAndRelease(BulkStream stream, int leaf) {
        @Nullable CompletableFuture<Void> sent = null;
        try {
            sent = sendHeld(stream, leaf);
        } finally {
            if (sent == null) {
                release();
            }
        }
        return sent == null ? null : sent.whenComplete((nothing, error) -> release());
    }

    /** Returns whether all bytes of a leaf have arrived. */
    public final boolean has(int leaf) {
        return block.leaves().offset(leaf) + block.leaves().length(leaf) <= availableBytes;
    }

    /** Bytes that this block takes of a budget; other blocks may share some of them. */
    public long holds(ByteBudget budget) {
        return 0;
    }

    /** A leaf, which the caller releases; empty when this block is closed, or the leaf is not here. */
    public final Optional<Leaf> leaf(int index) {
        if (!retainIfOpen()) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(held(index));
        } finally {
            release();
        }
    }

    /** Releases the bytes; sends under way finish first. Idempotent. */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    /** Sends one leaf while the caller holds a reference; null when the leaf is not here now. */
    protected abstract @Nullable CompletableFuture<Void> sendHeld(BulkStream stream, int leaf);

    /** A leaf with a reference for the caller, who holds one to the block meanwhile; null when the leaf is gone. */
    @Nullable
    Leaf held(int index) {
        return retain() ? new BlockLeaf(this, index) : null;
    }

    private boolean retainIfOpen() {
        return !closed.get() && retain();
    }
}

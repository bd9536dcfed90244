package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A block, as far as it is fetched, kept until it is closed. Safe for any thread. Sends under way keep what they
 * send from; the last of them frees it.
 */
public abstract class FetchedBlock extends RefCounted implements AutoCloseable {
    private final WantedBlock block;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long availableBytes;

    public FetchedBlock(WantedBlock block) {
        this.block = block;
    }

    /** So much of it may be sent now. */
    public final void arrived(long bytes) {
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
     * Sends one leaf as one data frame, if it is there; the caller has seen that the stream has the credit for it.
     *
     * @return as {@link BulkStream#send} answers; fails when this block is closed. Null: it is not there, and nothing was sent;
     *     whoever fetches the block says when there is more
     */
    public final @Nullable CompletableFuture<Void> send(BulkStream stream, int leaf) {
        if (!has(leaf)) {
            return null;
        }
        return retainIfOpen()
                ? sendAndRelease(stream, leaf)
                : CompletableFuture.failedFuture(new IllegalStateException("block is closed"));
    }

    /** The same, of what is there; takes over a hold on this. */
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

    /** Whether all of this leaf has come. */
    public final boolean has(int leaf) {
        return block.leaves().offset(leaf) + block.leaves().length(leaf) <= availableBytes;
    }

    /** What it takes of this budget; others may hold some of that as well. */
    public long holds(ByteBudget budget) {
        return 0;
    }

    /** One leaf that is available, to be released by the caller, for as long as he likes; empty when this is closed. */
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

    /** Lets go of the bytes; what is being sent goes first. Idempotent. */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    /** Null: it is not there for now. */
    protected abstract @Nullable CompletableFuture<Void> sendHeld(BulkStream stream, int leaf);

    /** A leaf the caller holds; the block is held meanwhile. Null when it is not here any more. */
    @Nullable
    Leaf held(int index) {
        return retain() ? new BlockLeaf(this, index) : null;
    }

    private boolean retainIfOpen() {
        return !closed.get() && retain();
    }
}

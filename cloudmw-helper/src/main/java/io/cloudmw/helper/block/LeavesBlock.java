package io.cloudmw.helper.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A block whose leaves are kept one by one, in any order. A leaf is released when it was sent, or with the block. */
public final class LeavesBlock extends FetchedBlock {
    /** The shortest wait: {@link Object#wait(long)} takes milliseconds, and 0 is a wait without end. */
    private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicReferenceArray<Leaf> leaves;
    private final AtomicLong unsentBytes = new AtomicLong();
    private final Ticker ticker;
    private volatile long takenNanos;
    private final Object sent = new Object();
    /** True while a thread waits; checked after each leaf, so that nobody locks for nothing. */
    private volatile boolean waits;

    @GuardedBy("sent")
    private boolean stopped;

    /** Begins without leaves. */
    public LeavesBlock(WantedBlock block) {
        this(block, Ticker.system());
    }

    LeavesBlock(WantedBlock block, Ticker ticker) {
        super(block);
        this.ticker = ticker;
        this.leaves = new AtomicReferenceArray<>(block.leaves().leaves());
    }

    /** Takes over the leaf at an index of the block; a second leaf at the same index is released. */
    public void put(int index, Leaf leaf) {
        boolean kept = false;
        int length = leaf.length();
        if (index == 0) {
            takenNanos = ticker.nanos();
        }
        unsentBytes.addAndGet(length);
        if (retain()) {
            kept = leaves.compareAndSet(index, null, leaf);
            release();
        }
        if (!kept) {
            unsentBytes.addAndGet(-length);
            leaf.release();
        }
    }

    /** Bytes of the leaves that were put and not sent. */
    long unsentBytes() {
        return unsentBytes.get();
    }

    /** The time when a leaf was last sent or, before that, when the first one was put. */
    long takenNanos() {
        return takenNanos;
    }

    /**
     * Waits until fewer than {@code unsent} bytes are left to send, until {@link #stopWaiting}, or for so long; may end
     * sooner. For one thread.
     */
    void awaitSent(long unsent, long nanos) throws InterruptedException {
        synchronized (sent) {
            waits = true; // before the look, so that no leaf is missed
            if (!stopped && unsentBytes() >= unsent) {
                TimeUnit.NANOSECONDS.timedWait(sent, Math.max(nanos, MIN_WAIT_NANOS));
            }
            waits = false;
        }
    }

    /** Ends {@link #awaitSent}, now and later. Any thread. */
    void stopWaiting() {
        synchronized (sent) {
            stopped = true;
            sent.notifyAll();
        }
    }

    /** Notes that all leaves of the first {@code bytes} bytes were put. */
    public void advance(long bytes) {
        arrived(bytes);
    }

    @Override
    @Nullable
    Leaf held(int index) {
        @Nullable Leaf leaf = leaves.get(index);
        return leaf != null && leaf.retain() ? leaf : null;
    }

    @Override
    protected CompletableFuture<Void> sendHeld(BulkStream stream, int index) {
        @Nullable Leaf leaf = leaves.get(index);
        if (leaf == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("leaf " + index + " of " + block() + ": sent before"));
        }
        return leaf.send(stream).whenComplete((nothing, error) -> drop(index));
    }

    private void drop(int index) {
        @Nullable Leaf leaf = leaves.getAndSet(index, null);
        if (leaf != null) {
            leaf.release();
            takenNanos = ticker.nanos();
            unsentBytes.addAndGet(-leaf.length());
            if (waits) {
                synchronized (sent) {
                    sent.notifyAll();
                }
            }
        }
    }

    @Override
    public long holds(ByteBudget budget) {
        long held = 0;
        for (int index = 0; index < leaves.length(); index++) {
            @Nullable Leaf leaf = leaves.get(index);
            held += leaf == null ? 0 : leaf.holds(budget);
        }
        return held;
    }

    @Override
    protected void free() {
        for (int index = 0; index < leaves.length(); index++) {
            drop(index);
        }
    }
}

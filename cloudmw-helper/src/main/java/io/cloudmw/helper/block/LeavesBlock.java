package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A block whose leaves are kept one by one, in any order. A leaf is released when it was sent, or with the block. */
public final class LeavesBlock extends FetchedBlock {
    private final AtomicReferenceArray<Leaf> leaves;

    /** Begins without leaves. */
    public LeavesBlock(WantedBlock block) {
        super(block);
        this.leaves = new AtomicReferenceArray<>(block.leaves().leaves());
    }

    /** Takes over the leaf at an index of the block; a second leaf at the same index is released. */
    public void put(int index, Leaf leaf) {
        boolean kept = false;
        if (retain()) {
            kept = leaves.compareAndSet(index, null, leaf);
            release();
        }
        if (!kept) {
            leaf.release();
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

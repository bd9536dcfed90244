package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/** A small block in direct memory, counted in a budget. Owns its buffer. */
public final class MemoryBlock extends FetchedBlock {
    private final ByteBuf bytes;
    private final ByteBudget budget;

    /** Takes over the buffer and the block's length, which was taken of {@code budget}. */
    public MemoryBlock(WantedBlock block, ByteBuf bytes, ByteBudget budget) {
        super(block);
        this.bytes = bytes;
        this.budget = budget;
    }

    @Override
    protected CompletableFuture<Void> sendHeld(BulkStream stream, int leaf) {
        int offset = Math.toIntExact(block().leaves().offset(leaf));
        ByteBuf slice = bytes.retainedSlice(offset, block().leaves().length(leaf));
        return stream.send(slice, block().leaves().crc32c(leaf));
    }

    @Override
    public long holds(ByteBudget of) {
        return of == budget ? block().length() : 0;
    }

    @Override
    protected void free() {
        bytes.release();
        budget.giveBack(block().length());
    }
}

package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/** A leaf in direct memory, counted in a budget. Owns its buffer. */
final class MemoryLeaf extends Leaf {
    private final ByteBuf bytes;
    private final ByteBudget budget;

    /** Takes over the full buffer and its length, which was taken of {@code budget}. */
    MemoryLeaf(ByteBuf bytes, int crc32c, ByteBudget budget) {
        super(bytes.readableBytes(), crc32c);
        this.bytes = bytes;
        this.budget = budget;
    }

    @Override
    public Place place() {
        return Place.MEMORY;
    }

    @Override
    public void copyTo(FileChannel file) throws IOException {
        ByteBuffer left = bytes.nioBuffer();
        while (left.hasRemaining()) {
            file.write(left);
        }
    }

    @Override
    CompletableFuture<Void> sendHeld(BulkStream stream) {
        return stream.send(bytes.retainedDuplicate(), crc32c());
    }

    @Override
    public long holds(ByteBudget of) {
        return of == budget ? length() : 0;
    }

    @Override
    protected void free() {
        bytes.release();
        budget.giveBack(length());
    }
}

package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import java.nio.channels.FileChannel;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A leaf of a block that is kept as a whole; it holds a reference to the block. */
final class BlockLeaf extends Leaf {
    private final FetchedBlock block;
    private final int index;

    /** Takes over one reference to {@code block}. */
    BlockLeaf(FetchedBlock block, int index) {
        super(block.block().leaves().length(index), block.block().leaves().crc32c(index));
        this.block = block;
        this.index = index;
    }

    @Override
    public Place place() {
        return Place.STORE;
    }

    @Override
    public void copyTo(FileChannel file) {
        throw new UnsupportedOperationException("leaf of " + block.block() + ": its store has it already");
    }

    @Override
    CompletableFuture<Void> sendHeld(BulkStream stream) {
        return Objects.requireNonNull(block.sendHeld(stream, index), "the bytes of a leaf are here");
    }

    @Override
    protected void free() {
        block.release();
    }
}

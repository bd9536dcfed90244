package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block in a file: a replica on an own disk, or a spool file. Sent without copying. */
public final class FileBlock extends FetchedBlock {
    private static final Logger LOG = LoggerFactory.getLogger(FileBlock.class);

    private final FileChannel file;
    private final long start;
    /** Closes the file, and says what it was counted in; null: it is a replica. */
    private final Spool.@Nullable SpoolFile spooled;

    /**
     * A replica.
     *
     * @param file taken over
     * @param start where the block's first byte is in it
     */
    public FileBlock(WantedBlock block, FileChannel file, long start) {
        this(block, file, start, null);
    }

    /** A file for this block alone, which is taken over. */
    public FileBlock(WantedBlock block, Spool.SpoolFile spooled) {
        this(block, spooled.channel(), 0, spooled);
    }

    private FileBlock(WantedBlock block, FileChannel file, long start, Spool.@Nullable SpoolFile spooled) {
        super(block);
        this.file = file;
        this.start = start;
        this.spooled = spooled;
    }

    @Override
    public long holds(ByteBudget budget) {
        return spooled != null && spooled.isOf(budget) ? block().length() : 0;
    }

    @Override
    protected CompletableFuture<Void> sendHeld(BulkStream stream, int leaf) {
        return stream.send(
                file,
                start + block().leaves().offset(leaf),
                block().leaves().length(leaf),
                block().leaves().crc32c(leaf));
    }

    @Override
    protected void free() {
        if (spooled != null) {
            spooled.close();
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("cannot close the file of {}", block(), e);
        }
    }
}

package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block in a file: a replica on a disk of this helper, or a spool file. Its bytes are sent without a copy. */
public final class FileBlock extends FetchedBlock {
    private static final Logger LOG = LoggerFactory.getLogger(FileBlock.class);

    private final FileChannel file;
    private final long start;
    /** The spool file, which also knows its budget; null when the file is a replica. */
    private final Spool.@Nullable SpoolFile spooled;

    /**
     * Takes over the file of a replica.
     *
     * @param start offset of the block's first byte in the file
     */
    public FileBlock(WantedBlock block, FileChannel file, long start) {
        this(block, file, start, null);
    }

    /** Takes over a spool file that holds this block alone. */
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

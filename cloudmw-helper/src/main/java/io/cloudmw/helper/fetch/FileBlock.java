package io.cloudmw.helper.fetch;

import io.cloudmw.core.bulk.BulkStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block in a file: a replica on an own disk, or a spool file. Sent without copying. */
final class FileBlock extends FetchedBlock {
    private static final Logger LOG = LoggerFactory.getLogger(FileBlock.class);

    private final FileChannel file;
    private final long start;
    private final Runnable freed;

    /**
     * Takes over {@code file}.
     *
     * @param start where the block's first byte is in it
     * @param freed run once when the file was closed
     */
    FileBlock(WantedBlock block, FileChannel file, long start, Runnable freed) {
        super(block);
        this.file = file;
        this.start = start;
        this.freed = freed;
    }

    @Override
    CompletableFuture<Void> sendHeld(BulkStream stream, int leaf) {
        return stream.send(
                file,
                start + block().leaves().offset(leaf),
                block().leaves().length(leaf),
                block().leaves().crc32c(leaf));
    }

    @Override
    void free() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("cannot close the file of {}", block(), e);
        } finally {
            freed.run();
        }
    }
}

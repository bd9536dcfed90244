package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A leaf that is a whole file, and is sent from there without a copy. Owns the file. */
public final class FileLeaf extends Leaf {
    private static final Logger LOG = LoggerFactory.getLogger(FileLeaf.class);

    private final FileChannel file;
    private final Runnable freed;

    /**
     * Takes over {@code file}.
     *
     * @param freed run once, after the file was closed
     */
    public FileLeaf(FileChannel file, int length, int crc32c, Runnable freed) {
        super(length, crc32c);
        this.file = file;
        this.freed = freed;
    }

    @Override
    public Place place() {
        return Place.STORE;
    }

    @Override
    public void copyTo(FileChannel target) throws IOException {
        for (long at = 0; at < length(); ) {
            at += file.transferTo(at, length() - at, target);
        }
    }

    @Override
    CompletableFuture<Void> sendHeld(BulkStream stream) {
        return stream.send(file, 0, length(), crc32c());
    }

    @Override
    protected void free() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("cannot close the file of a leaf", e);
        } finally {
            freed.run();
        }
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.bulk.BulkStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/** A leaf in a file of the spool, for which there was no memory. Owns the file. */
final class SpooledLeaf extends Leaf {
    private final Spool.SpoolFile file;

    SpooledLeaf(Spool.SpoolFile file, int length, int crc32c) {
        super(length, crc32c);
        this.file = file;
    }

    @Override
    public Place place() {
        return Place.SPOOL;
    }

    @Override
    public void copyTo(FileChannel target) throws IOException {
        long at = 0;
        while (at < length()) {
            at += file.channel().transferTo(at, length() - at, target);
        }
    }

    @Override
    CompletableFuture<Void> sendHeld(BulkStream stream) {
        return stream.send(file.channel(), 0, length(), crc32c());
    }

    @Override
    void free() {
        file.close();
    }
}

package io.cloudmw.helper.block;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * Leaves in one file of the spool, for which there was no memory. Owns the file. The writer and each leaf hold a
 * reference. A single thread adds leaves.
 */
final class SpooledLeaves extends RefCounted {
    private final Spool.SpoolFile file;
    private long end;

    SpooledLeaves(Spool.SpoolFile file) {
        this.file = file;
    }

    /**
     * Appends a leaf.
     *
     * @throws CloudMwException {@code OVERLOADED} when the leaf cannot be written
     */
    Leaf add(ByteBuffer bytes, int crc32c) throws CloudMwException {
        int length = bytes.remaining();
        long position = end;
        end += length;
        try {
            for (long at = position; bytes.hasRemaining(); ) {
                at += file.channel().write(bytes, at);
            }
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.OVERLOADED, "spool: cannot write a leaf: " + Reasons.of(e), e);
        }
        if (!retain()) {
            throw new IllegalStateException("a leaf was added to a closed file");
        }
        return new Spooled(position, length, crc32c);
    }

    @Override
    protected void free() {
        file.close();
    }

    /** A leaf in the file. */
    private final class Spooled extends Leaf {
        private final long position;

        Spooled(long position, int length, int crc32c) {
            super(length, crc32c);
            this.position = position;
        }

        @Override
        public Place place() {
            return Place.SPOOL;
        }

        @Override
        public void copyTo(FileChannel target) throws IOException {
            long at = 0;
            while (at < length()) {
                at += file.channel().transferTo(position + at, length() - at, target);
            }
        }

        @Override
        CompletableFuture<Void> sendHeld(BulkStream stream) {
            return stream.send(file.channel(), position, length(), crc32c());
        }

        @Override
        public long holds(ByteBudget budget) {
            return file.isOf(budget) ? length() : 0;
        }

        @Override
        protected void free() {
            SpooledLeaves.this.release();
        }
    }
}

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
 * Leaves one behind the other in a file of the spool, for which there was no memory: one descriptor for all. Owns the file; held
 * by who adds leaves, and by each leaf. Leaves are added by one thread.
 */
final class SpooledLeaves extends RefCounted {
    private final Spool.SpoolFile file;
    private long end;

    SpooledLeaves(Spool.SpoolFile file) {
        this.file = file;
    }

    /**
     * Writes one more leaf.
     *
     * @throws CloudMwException {@code OVERLOADED} when it cannot be written
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
            throw new CloudMwException(ErrorCode.OVERLOADED, "spool: cannot write: " + Reasons.of(e), e);
        }
        if (!retain()) {
            throw new IllegalStateException("leaves that nobody holds");
        }
        return new Spooled(position, length, crc32c);
    }

    @Override
    protected void free() {
        file.close();
    }

    /** One of them. */
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

package io.cloudmw.core.bulk.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/** A frame in a stream's queue. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public sealed interface QueuedFrame {
    /** The first frame of a stream opened here. */
    record Open(byte[] request) implements QueuedFrame {}

    /** The last frame. */
    record End(byte[] trailer) implements QueuedFrame {}

    /** Data, with the future of its sender. */
    sealed interface Data extends QueuedFrame {
        int length();

        int crc32c();

        CompletableFuture<Void> sent();

        /**
         * The payload for the socket, which releases it; the frame must not be used after that.
         *
         * @throws IOException when it cannot be read; the frame must then still be dropped
         */
        Object payload(ByteBufAllocator allocator, boolean fileRegions) throws IOException;

        /** Releases what the frame holds, unless it was handed to the socket. */
        void drop();
    }

    /** Data in memory. */
    record Bytes(ByteBuf bytes, int length, int crc32c, CompletableFuture<Void> sent) implements Data {
        @Override
        public Object payload(ByteBufAllocator allocator, boolean fileRegions) {
            return bytes;
        }

        @Override
        public void drop() {
            bytes.release();
        }
    }

    /** Data in a file. */
    record FileRange(FileChannel file, long position, int length, int crc32c, CompletableFuture<Void> sent)
            implements Data {
        @Override
        public Object payload(ByteBufAllocator allocator, boolean fileRegions) throws IOException {
            // Once the header has left there is no way back: a file that is too short must be noticed here.
            long size = file.size();
            if (position + length > size) {
                throw new EOFException("file of " + size + " bytes (expected: >= " + (position + length) + ")");
            }
            return fileRegions ? new OpenFileRegion(file, position, length) : copy(allocator);
        }

        private ByteBuf copy(ByteBufAllocator allocator) throws IOException {
            ByteBuf copy = allocator.directBuffer(length, length);
            try {
                while (copy.isWritable()) {
                    long from = position + copy.readableBytes();
                    if (copy.writeBytes(file, from, copy.writableBytes()) < 0) {
                        throw new EOFException("file of " + from + " bytes (expected: >= " + (position + length) + ")");
                    }
                }
                return copy.retain();
            } finally {
                copy.release();
            }
        }

        @Override
        public void drop() {}
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.store.LeafTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Where leaves are put that outlive the attempt that fetched them: in direct memory as long as its budget lasts, beyond
 * that each in a file of the spool. Safe for any thread.
 *
 * @param memory what leaves in memory may use together
 * @param waitNanos how long a leaf waits for room in the spool
 */
public record LeafRoom(ByteBudget memory, Spool spool, ByteBufAllocator allocator, long waitNanos) {
    /** Puts verified leaves into {@code block}, one at a time; for one reading. */
    Landing landing(LeavesBlock block) {
        return new Landing(block);
    }

    /** Closed by the thread that read, when it has ended. */
    final class Landing implements LeafTarget, AutoCloseable {
        private final LeavesBlock block;
        private @Nullable ByteBuf buffer;
        /** Whether the buffer is counted, and will be the leaf; otherwise leaves only pass through it. */
        private boolean counted;

        private Landing(LeavesBlock block) {
            this.block = block;
        }

        @Override
        public ByteBuffer buffer(long offset, int length) {
            ByteBuf room = allocator.directBuffer(length, length);
            buffer = room;
            counted = memory.tryTake(length);
            return room.nioBuffer(0, length);
        }

        @Override
        public void verified(long offset, ByteBuffer bytes) throws IOException {
            int index = Math.toIntExact(offset / block.block().leaves().leafSizeBytes());
            int crc32c = block.block().leaves().crc32c(index);
            ByteBuf room = buffer;
            if (room != null && counted) {
                buffer = null;
                block.put(index, new MemoryLeaf(room.writerIndex(bytes.remaining()), crc32c, memory));
            } else {
                block.put(index, spooled(bytes, crc32c));
                close();
            }
        }

        private Leaf spooled(ByteBuffer bytes, int crc32c) throws CloudMwException {
            Spool.SpoolFile file = spool.create(bytes.remaining(), waitNanos);
            boolean written = false;
            try {
                int length = bytes.remaining();
                FileChannel channel = file.channel();
                for (long at = 0; bytes.hasRemaining(); ) {
                    at += channel.write(bytes, at);
                }
                written = true;
                return new SpooledLeaf(file, length, crc32c);
            } catch (IOException e) {
                throw new CloudMwException(ErrorCode.OVERLOADED, "spool: cannot write: " + Reasons.of(e), e);
            } finally {
                if (!written) {
                    file.close();
                }
            }
        }

        @Override
        public void close() {
            ByteBuf left = buffer;
            buffer = null;
            if (left != null) {
                int length = left.capacity();
                left.release();
                if (counted) {
                    memory.giveBack(length);
                }
            }
        }
    }
}

package io.cloudmw.helper.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where leaves are put that outlive the attempt that fetched them: in direct memory as long as its budget lasts, beyond
 * that in a file of the spool, one for all of an attempt. Safe for any thread.
 *
 * @param memory what leaves in memory may use together
 * @param waitNanos how long a leaf waits for room in the spool
 */
public record LeafAllocator(ByteBudget memory, Spool spool, ByteBufAllocator allocator, long waitNanos) {
    /** Puts verified leaves into {@code block}, one after the other; for one attempt. */
    public Landing landing(LeavesBlock block) {
        return new Landing(block);
    }

    /** The same, for who cannot wait: where there is no room in the spool a leaf is refused at once. */
    public LeafAllocator withoutWaiting() {
        return new LeafAllocator(memory, spool, allocator, 0);
    }

    /** For one thread at a time, but for {@link #cancel}. Closed when nothing more comes; the leaves stay. */
    public final class Landing implements LeafTarget, AutoCloseable {
        private final LeavesBlock block;
        private @Nullable ByteBuf buffer;
        /** Whether the buffer is counted, and will be the leaf; otherwise leaves only pass through it. */
        private boolean counted;
        /** Holds the leaves there was no memory for. */
        private @Nullable SpooledLeaves spooled;
        /** It waits for room in the spool. */
        @GuardedBy("this")
        private @Nullable Thread waiting;

        @GuardedBy("this")
        private boolean cancelled;

        private Landing(LeavesBlock block) {
            this.block = block;
        }

        @Override
        public ByteBuffer buffer(long offset, int length) {
            ByteBuf room = allocator.directBuffer(length, length);
            buffer = room;
            counted = false;
            counted = memory.tryTake(length);
            return room.nioBuffer(0, length);
        }

        @Override
        public void verified(long offset, ByteBuffer bytes) throws CloudMwException {
            int index = Math.toIntExact(offset / block.block().leaves().leafSizeBytes());
            ByteBuf room = buffer;
            if (room != null && counted) {
                buffer = null;
                remember(index, room.writerIndex(bytes.remaining()));
            } else {
                spool(index, bytes);
                drop();
            }
        }

        /**
         * Puts a leaf that came in a buffer of its own. Takes over {@code bytes}. May block, on the spool.
         *
         * @throws CloudMwException {@code OVERLOADED} when there is no room for it
         */
        public void take(int index, ByteBuf bytes) throws CloudMwException {
            boolean kept = false;
            try {
                kept = memory.tryTake(bytes.readableBytes());
                if (!kept) {
                    spool(index, bytes.nioBuffer());
                }
            } finally {
                if (!kept) {
                    bytes.release();
                }
            }
            if (kept) {
                remember(index, bytes);
            }
        }

        private void remember(int index, ByteBuf bytes) {
            block.put(index, new MemoryLeaf(bytes, block.block().leaves().crc32c(index), memory));
        }

        private void spool(int index, ByteBuffer bytes) throws CloudMwException {
            LeafRange leaves = block.block().leaves();
            block.put(index, spooled(leaves.offset(index)).add(bytes, leaves.crc32c(index)));
        }

        /** Has room for all that may still come. */
        private SpooledLeaves spooled(long offset) throws CloudMwException {
            SpooledLeaves file = spooled;
            if (file == null) {
                file = new SpooledLeaves(create(block.block().length() - offset));
                spooled = file;
            }
            return file;
        }

        private Spool.SpoolFile create(long bytes) throws CloudMwException {
            synchronized (this) {
                if (cancelled) {
                    throw new CloudMwException(ErrorCode.CANCELLED, block.block() + ": cancelled");
                }
                waiting = Thread.currentThread();
            }
            try {
                return spool.create(bytes, waitNanos);
            } finally {
                waited();
            }
        }

        /** An interrupt that came in time is not left to what the thread does next. */
        private synchronized void waited() {
            waiting = null;
            if (cancelled) {
                var unused = Thread.interrupted();
            }
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
            if (waiting != null) {
                waiting.interrupt();
            }
        }

        private void drop() {
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

        @Override
        public void close() {
            drop();
            SpooledLeaves file = spooled;
            spooled = null;
            if (file != null) {
                file.release();
            }
        }
    }
}

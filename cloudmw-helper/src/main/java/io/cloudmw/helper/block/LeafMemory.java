package io.cloudmw.helper.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.time.Ticker;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bounded memory of leaves that a helper has fetched and not sent yet, or caches. Leaves for which the budget does not
 * last go to the spool, where all leaves of an attempt share one file. Safe for any thread.
 *
 * <p>Leaves that pass through leave the memory as soon as their reader has taken them. So an attempt without room waits
 * for its own reader while that takes leaves. A part of the memory is for blocks whose readers keep up.
 *
 * @param memory the budget of all leaves in memory
 * @param passing present when leaves pass through to a single reader: returns whether an attempt may keep its thread
 *     while it waits for that reader. Empty: leaves stay for others
 * @param waitNanos time for which a leaf waits for room in the spool
 */
public record LeafMemory(
        ByteBudget memory,
        Optional<BooleanSupplier> passing,
        Spool spool,
        ByteBufAllocator allocator,
        long waitNanos,
        Ticker ticker) {
    /** A reader lags when this many bytes of its block are here and not sent: more than its credit and its socket. */
    private static final long LAG_BYTES = 2 << 20;

    /** The part of the memory that blocks whose readers lag leave to others. */
    private static final int RESERVED_PART = 4;

    /** A reader that takes no leaf of its block for so long is slow: it takes less than 5 MB/s in leaves of 256 KiB. */
    private static final long SLOW_READER_NANOS = 50_000_000;

    /** Room may also come from other blocks, and other attempts may come to need the thread. */
    private static final long NEXT_LOOK_NANOS = 10_000_000;

    /** A memory of leaves that stay for others. */
    public LeafMemory(ByteBudget memory, Spool spool, ByteBufAllocator allocator, long waitNanos) {
        this(memory, Optional.empty(), spool, allocator, waitNanos, Ticker.system());
    }

    /** A target that puts the verified leaves of one attempt into {@code block}, in order. */
    public LeafWriter writer(LeavesBlock block) {
        return new LeafWriter(block);
    }

    /** The same memory without waiting: it refuses a leaf at once when the spool has no room. */
    public LeafMemory withoutWaiting() {
        return new LeafMemory(memory, passing, spool, allocator, 0, ticker);
    }

    /**
     * The target of one attempt's leaves. For one thread at a time, except {@link #cancel}. Closing it keeps the
     * leaves.
     */
    public final class LeafWriter implements LeafTarget, AutoCloseable {
        private final LeavesBlock block;
        private @Nullable ByteBuf buffer;
        /** True when the buffer is counted and becomes the leaf; otherwise the leaf is copied to the spool. */
        private boolean counted;
        /** The leaves for which there was no memory. */
        private @Nullable SpooledLeaves spooled;
        /** The thread that waits for room in the spool. */
        @GuardedBy("this")
        private @Nullable Thread waiting;

        @GuardedBy("this")
        private boolean cancelled;

        private LeafWriter(LeavesBlock block) {
            this.block = block;
        }

        @Override
        public ByteBuffer buffer(long offset, int length) {
            ByteBuf room = allocator.directBuffer(length, length);
            buffer = room;
            counted = false;
            counted = takes(length);
            return room.nioBuffer(0, length);
        }

        private boolean takes(int length) {
            boolean taken = tryTake(length);
            while (!taken && waitedForReader()) {
                taken = tryTake(length);
            }
            return taken;
        }

        private boolean tryTake(int length) {
            boolean lags = passing.isPresent() && block.unsentBytes() >= LAG_BYTES;
            return memory.tryTake(length, lags ? memory.limitBytes() / RESERVED_PART : 0);
        }

        /** Waits a moment for the reader; returns false when waiting is not worth it, or not allowed. */
        private boolean waitedForReader() {
            long unsent = block.unsentBytes();
            long patience = SLOW_READER_NANOS - (ticker.nanos() - block.takenNanos());
            boolean waits = passing.isPresent() && unsent > 0 && patience > 0;
            if (!waits || isCancelled() || !passing.get().getAsBoolean()) {
                return false;
            }
            try {
                block.awaitSent(unsent, Math.min(patience, NEXT_LOOK_NANOS));
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private synchronized boolean isCancelled() {
            return cancelled;
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
         * Puts a leaf that arrived in a buffer of its own, and takes over the buffer. May block on the spool.
         *
         * @throws CloudMwException {@code OVERLOADED} when there is no room for the leaf
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

        /** The spool file of this attempt, with room for all leaves that may still come. */
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

        /** Clears an interrupt by {@link #cancel}, so that the thread's next task does not see it. */
        private synchronized void waited() {
            waiting = null;
            if (cancelled) {
                var unused = Thread.interrupted();
            }
        }

        @Override
        public void cancel() {
            synchronized (this) {
                cancelled = true;
                if (waiting != null) {
                    waiting.interrupt();
                }
            }
            block.stopWaiting();
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

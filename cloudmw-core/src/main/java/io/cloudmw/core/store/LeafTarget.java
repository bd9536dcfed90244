package io.cloudmw.core.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The target of verified leaves, called by the one thread that runs the {@link StoreLeafVerifier}. Offsets are counted from
 * the start of the range that is read.
 */
public interface LeafTarget {
    /**
     * A buffer with exactly {@code length} bytes remaining for the leaf at {@code offset}. It may be the same one
     * every time.
     */
    ByteBuffer buffer(long offset, int length);

    /**
     * Takes the leaf at {@code offset}, which is whole and has the right CRC32C.
     *
     * @param leaf the buffer from {@link #buffer}, flipped: the leaf's bytes remain
     * @throws IOException ends the reading; anything but a {@code CloudMwException} becomes {@code LOCAL_IO}
     */
    void verified(long offset, ByteBuffer leaf) throws IOException;

    /** Cancels the target: a thread that waits in it for room stops waiting. Any thread. */
    default void cancel() {}

    /** A target that drops the bytes. {@code scratch} must hold a leaf. */
    static LeafTarget discarding(ByteBuffer scratch) {
        return new Scratch(scratch) {
            @Override
            public void verified(long offset, ByteBuffer leaf) {}
        };
    }

    /** A target in {@code memory}, from its position on; the buffer's position and limit stay as they are. */
    static LeafTarget memory(ByteBuffer memory) {
        ByteBuffer window = memory.slice();
        return new LeafTarget() {
            @Override
            public ByteBuffer buffer(long offset, int length) {
                return window.clear().position((int) offset).limit((int) offset + length);
            }

            @Override
            public void verified(long offset, ByteBuffer leaf) {}
        };
    }

    /** A target that writes to {@code file} at {@code position + offset}. {@code scratch} must hold a leaf. */
    static LeafTarget file(FileChannel file, long position, ByteBuffer scratch) {
        return new Scratch(scratch) {
            @Override
            public void verified(long offset, ByteBuffer leaf) throws IOException {
                long at = position + offset;
                while (leaf.hasRemaining()) {
                    at += file.write(leaf, at);
                }
            }
        };
    }

    /** A target that passes every leaf through the same buffer. */
    abstract class Scratch implements LeafTarget {
        private final ByteBuffer scratch;

        protected Scratch(ByteBuffer scratch) {
            this.scratch = scratch;
        }

        @Override
        public final ByteBuffer buffer(long offset, int length) {
            return scratch.clear().limit(length);
        }
    }
}

package io.cloudmw.core.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Where verified leaves go. Called by the one thread that runs the {@link LeafVerifier}. Offsets are counted
 * from the start of the range that is read.
 */
public interface LeafTarget {
    /**
     * A buffer with exactly {@code length} bytes remaining, to read the leaf at {@code offset} into. It may be the
     * same one every time.
     */
    ByteBuffer buffer(long offset, int length);

    /**
     * The leaf at {@code offset} is whole and its CRC32C right.
     *
     * @param leaf what {@link #buffer} gave, flipped: the leaf's bytes remain
     * @throws IOException ends the reading; anything but a {@code CloudMwException} becomes {@code LOCAL_IO}
     */
    void verified(long offset, ByteBuffer leaf) throws IOException;

    /** Nothing more is wanted: who waits in here for room does so no longer. Any thread. */
    default void cancel() {}

    /** Verifies only. {@code scratch} must hold a leaf. */
    static LeafTarget discarding(ByteBuffer scratch) {
        return new Scratch(scratch) {
            @Override
            public void verified(long offset, ByteBuffer leaf) {}
        };
    }

    /** Keeps the bytes in {@code memory}, from its position on; its position and limit are left as they are. */
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

    /** Writes the bytes to {@code file} at {@code position + offset}. {@code scratch} must hold a leaf. */
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

    /** Every leaf through the same buffer. */
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

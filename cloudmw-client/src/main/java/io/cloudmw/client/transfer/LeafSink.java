package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;

/** Where a get's verified leaves go. */
interface LeafSink {
    /** Whether leaves must come in the order of the file, one at a time; otherwise in any order, several at once. */
    boolean inOrder();

    /** Whether writes wait for what this library does not control; they then run on threads that only do that. Once open. */
    boolean mayBlock();

    /** Before the first leaf; may block. */
    void open() throws CloudMwException;

    /**
     * Takes one leaf; may block.
     *
     * @param offset of its first byte in the file
     * @throws CloudMwException {@code LOCAL_IO}: the transfer ends
     */
    void write(long offset, ByteBuffer leaf) throws CloudMwException;

    /** Everything was written: make it last. May block. */
    void commit() throws CloudMwException;

    /** Leave no trace. Any time, also while {@link #write} runs in another thread; idempotent. */
    void abort();
}

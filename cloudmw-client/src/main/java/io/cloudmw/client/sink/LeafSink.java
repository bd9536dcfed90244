package io.cloudmw.client.sink;

import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;

/** A destination of a get's verified leaves. */
public interface LeafSink extends LeafVerification.Bytes {
    /** Whether leaves must come in the order of the file, one at a time; otherwise in any order, several at once. */
    boolean inOrder();

    /** Whether writes wait for what this library does not control; they then run on threads that only do that. Once open. */
    boolean mayBlock();

    /** Before the first leaf; may block. */
    void open() throws CloudMwException;

    /**
     * So many bytes, from the beginning, may be there already, as a get that was interrupted left them; once open. None of
     * them is to be trusted before its leaf was verified.
     */
    @Override
    default long keptBytes() {
        return 0;
    }

    @Override
    default void read(long offset, ByteBuffer into) throws CloudMwException {
        throw new UnsupportedOperationException("nothing is kept");
    }

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

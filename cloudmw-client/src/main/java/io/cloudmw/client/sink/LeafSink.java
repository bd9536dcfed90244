package io.cloudmw.client.sink;

import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;

/** A destination of a get's verified leaves. */
public interface LeafSink extends PartialFileCheck.Bytes {
    /**
     * Returns true when leaves must come in file order, one at a time; false when several may come at once, in any
     * order.
     */
    boolean inOrder();

    /**
     * Returns whether writes depend on something outside this library, and so need threads of their own. Valid once
     * open.
     */
    boolean mayBlock();

    /** Opens the sink before the first leaf; may block. */
    void open() throws CloudMwException;

    /**
     * The number of bytes, from the beginning, that an interrupted get may have left; once open. A leaf among them
     * counts only after its verification.
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
     * Writes one leaf; may block.
     *
     * @param offset of its first byte in the file
     * @throws CloudMwException {@code LOCAL_IO}: the transfer ends
     */
    void write(long offset, ByteBuffer leaf) throws CloudMwException;

    /** Makes the written bytes durable at their destination. May block. */
    void commit() throws CloudMwException;

    /** Removes every trace. Any time, also while {@link #write} runs in another thread; idempotent. */
    void abort();
}

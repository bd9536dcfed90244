package io.cloudmw.client.sink;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A destination that takes a file's bytes in any order: memory, a mapped file, a device.
 *
 * <p>Called by several threads at once, for disjoint or equal ranges; it may block, and the transfer then grants its
 * helpers no more credit than memory is left: a slow target slows the transfer. After a relay broke, bytes that were
 * written already may be written again; they are the same.
 *
 * <p>Once the read has succeeded, nothing is written any more. After a failure no write begins, but one that was under
 * way then ends when the target lets it; after a cancellation this holds a moment later.
 */
@FunctionalInterface
public interface PositionalTarget {
    /**
     * Takes verified bytes.
     *
     * @param offset of the first of them in the file
     * @param bytes to be taken before it returns; the buffer is reused after
     * @throws IOException the transfer fails with {@code LOCAL_IO}
     */
    void write(long offset, ByteBuffer bytes) throws IOException;
}

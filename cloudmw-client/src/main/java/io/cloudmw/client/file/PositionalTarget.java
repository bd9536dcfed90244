package io.cloudmw.client.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A destination that takes the bytes of a file in any order: memory, a mapped file, a device.
 *
 * <p>Several threads of the client call it at once, for disjoint or equal ranges. It may block; the transfer then grants
 * its helpers no more credit than memory is left, so a slow target slows the transfer. After a connection broke, bytes
 * that were written already may be written again; they are the same.
 *
 * <p>After the read has succeeded, nothing is written any more. After a failure no write begins; a write that was under
 * way ends when the target returns. After a cancellation the same holds a moment later.
 */
@FunctionalInterface
public interface PositionalTarget {
    /**
     * Takes verified bytes.
     *
     * @param offset of the first byte, from the beginning of the file
     * @param bytes to take before the method returns; the buffer belongs to the client and is reused
     * @throws IOException to fail the transfer with {@code LOCAL_IO}
     */
    void write(long offset, ByteBuffer bytes) throws IOException;
}

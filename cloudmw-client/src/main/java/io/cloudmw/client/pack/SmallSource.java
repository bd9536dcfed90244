package io.cloudmw.client.pack;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.ByteBuffer;

/** The content of a small file that is put. Calls block; one thread calls at a time. */
interface SmallSource {
    /** Measures the content, before it is read. */
    long measure() throws CloudMwException;

    /**
     * Reads the content; may be repeated.
     *
     * @param room of the measured size, which is filled
     * @throws CloudMwException {@code LOCAL_IO} when the content has another size, changes meanwhile or cannot be read
     */
    void read(ByteBuffer room) throws CloudMwException;

    /** The same content, for a put of its own. Its owner opens and closes it. */
    PutSource whole();

    /**
     * Opens the whole content.
     *
     * @param whole from {@link #whole}
     * @param sizeBytes the measured size
     * @throws CloudMwException {@code LOCAL_IO} when it has another size, or cannot be opened
     */
    default void open(PutSource whole, long sizeBytes) throws CloudMwException {
        long size = whole.open().orElse(-1);
        if (size != sizeBytes) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    this + ": changed while it was read: it has " + size + " bytes instead of " + sizeBytes);
        }
    }

    /** Frees what is kept; later reads fail. Idempotent, and from any thread. */
    void close();

    /** Names the content in messages. */
    @Override
    String toString();
}

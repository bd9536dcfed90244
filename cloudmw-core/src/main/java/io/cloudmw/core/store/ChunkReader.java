package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * A stream of one range of one chunk. A single thread reads; any thread may close.
 */
public interface ChunkReader extends Closeable {
    /**
     * Reads at least one byte into {@code target}, as many as are available, and blocks until there is one.
     *
     * @return bytes read; -1 at the end of the range
     * @throws CloudMwException {@code CANCELLED} after {@link #close()}; {@code STORE_UNAVAILABLE} when the store
     *     breaks off before the end of the range; at the first call also the failures of opening
     */
    int read(ByteBuffer target) throws CloudMwException;

    /**
     * Stops the transfer at once: a {@link #read} blocked in another thread fails with {@code CANCELLED}. The rest of
     * the range is not downloaded. Idempotent.
     */
    @Override
    void close();
}

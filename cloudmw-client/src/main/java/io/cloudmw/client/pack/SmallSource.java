package io.cloudmw.client.pack;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.error.CloudMwException;
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

    /** Frees what is kept; later reads fail. Idempotent, and from any thread. */
    void close();

    /** Names the content in messages. */
    @Override
    String toString();
}

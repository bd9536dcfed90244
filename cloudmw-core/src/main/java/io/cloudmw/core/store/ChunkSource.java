package io.cloudmw.core.store;

import java.io.IOException;
import java.io.InputStream;

/** The source of a chunk's bytes for a put. It may be opened several times, also concurrently. */
public interface ChunkSource {
    /** The number of bytes that every opened stream gives. */
    long length();

    /**
     * Returns whether all bytes are there. Until then a stream blocks for bytes that have not arrived, and it fails when
     * they will never arrive.
     */
    default boolean isComplete() {
        return true;
    }

    /** A new stream from the first byte; the caller closes it. */
    InputStream open() throws IOException;
}

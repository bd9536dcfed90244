package io.cloudmw.core.store;

import java.io.IOException;
import java.io.InputStream;

/** The source of a chunk's bytes for a put. It may be opened several times, also concurrently. */
public interface ChunkSource {
    /** The number of bytes that every opened stream gives. */
    long length();

    /**
     * A new stream from the first byte; the caller closes it. Where the chunk is still arriving, the stream blocks for
     * bytes that are not there, and fails when they will never arrive.
     */
    InputStream open() throws IOException;
}

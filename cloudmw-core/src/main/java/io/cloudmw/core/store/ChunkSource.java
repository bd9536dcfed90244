package io.cloudmw.core.store;

import java.io.IOException;
import java.io.InputStream;

/** Where the bytes of a chunk come from when it is put: may be opened several times, also at the same time. */
public interface ChunkSource {
    /** Bytes that every opened stream gives. */
    long length();

    /** A new stream from the first byte; the caller closes it. */
    InputStream open() throws IOException;
}

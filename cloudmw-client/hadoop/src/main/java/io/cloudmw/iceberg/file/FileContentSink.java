package io.cloudmw.iceberg.file;

import java.io.IOException;

/** The place where a stream puts the content of a new version. For one thread. */
interface FileContentSink {
    void write(byte[] source, int offset, int count) throws IOException;

    /** Makes the version visible, and ends. */
    void commit() throws IOException;

    /** Gives the version up, and ends. No effect after a commit. */
    void abort();
}

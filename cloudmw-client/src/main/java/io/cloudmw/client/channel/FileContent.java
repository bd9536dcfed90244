package io.cloudmw.client.channel;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The content behind a channel. */
interface FileContent {
    long sizeBytes();

    /** Fills the buffer, or reads to the end; -1 at the end. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all bytes. */
    int write(ByteBuffer source, long position) throws IOException;

    /** Cuts the file; a larger size has no effect. */
    void truncate(long size) throws IOException;

    /** Makes what was written so far visible and durable. */
    void force() throws IOException;

    /** Goes on from the file's current version, unless something was written since the last {@link #force}. */
    void refresh() throws IOException;

    /** Makes what was written visible, then frees everything. */
    void finish() throws IOException;

    /** Gives up what was written, and ends operations under way. Safe for any thread. */
    void discard();
}

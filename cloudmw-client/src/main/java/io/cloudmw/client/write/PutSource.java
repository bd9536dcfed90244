package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/** A source of a put's bytes. Calls block. */
public interface PutSource extends AutoCloseable {
    /**
     * Makes it ready.
     *
     * @return bytes it will give; empty: as many as there are until it ends
     */
    OptionalLong open() throws CloudMwException;

    /**
     * Finds out how many bytes a source will give that did not know when it was opened, before any part is asked for: it is
     * read to its end and kept on this machine's disk.
     */
    long measure() throws CloudMwException;

    /**
     * What tells it from what it is once somebody has changed it, or put something else in its place; once open. Empty: it
     * cannot be read again.
     */
    default Optional<String> identity() throws CloudMwException {
        return Optional.empty();
    }

    /** Whether its calls may block for as long as a caller's stream likes; reading a part never does. */
    boolean isStream();

    /** Whether all its parts may be asked for once more, from the first one on; once it is open, and measured where it must be. */
    default boolean isRepeatable() {
        return !isStream();
    }

    /**
     * The bytes of one chunk, to be read as often as it takes. Called in the order of the file, by one thread at a
     * time. Of a source of unknown length it is shorter, or empty, where the source ends.
     */
    Part part(ByteRange range) throws CloudMwException;

    /**
     * Checks, at the end, that it is still what it was at the beginning.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it has changed
     */
    void checkUnchanged() throws CloudMwException;

    /** Idempotent; parts still open fail. */
    @Override
    void close();

    /** The bytes of one chunk. */
    interface Part extends AutoCloseable {
        /** Bytes it has. */
        long length();

        /**
         * Fills {@code target}.
         *
         * @param offset within the chunk
         * @throws CloudMwException {@code LOCAL_IO} when there are fewer bytes than announced, or they cannot be read
         */
        void read(long offset, ByteBuffer target) throws CloudMwException;

        @Override
        void close();
    }
}

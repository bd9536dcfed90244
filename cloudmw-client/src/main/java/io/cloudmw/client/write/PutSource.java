package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/** A source of a put's bytes. Calls block. */
public interface PutSource extends AutoCloseable {
    /**
     * Opens the source.
     *
     * @return the number of its bytes; empty: unknown until it ends
     */
    OptionalLong open() throws CloudMwException;

    /**
     * Measures a source that did not know its length when it was opened; called before any part is requested. Reads the
     * source to its end and keeps it on the local disk.
     */
    long measure() throws CloudMwException;

    /**
     * The identity of the source's content, which changes when the source does; once open. Empty: the source cannot be
     * read again.
     */
    default Optional<String> identity() throws CloudMwException {
        return Optional.empty();
    }

    /** Returns whether calls may block as long as the caller's stream does. Reading a part never blocks so. */
    boolean isStream();

    /**
     * Returns whether all parts may be requested again from the first one on. Valid once the source is open, and
     * measured if it must be.
     */
    default boolean isRepeatable() {
        return !isStream();
    }

    /**
     * The bytes of one chunk, which can be read repeatedly. Called in the order of the file, by one thread at a time.
     * Where a source of unknown length ends, the part is shorter, or empty.
     */
    Part part(ByteRange range) throws CloudMwException;

    /**
     * Checks, at the end, that the source has not changed since the beginning.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it has changed
     */
    void checkUnchanged() throws CloudMwException;

    /** Closes the source; open parts fail. Idempotent. */
    @Override
    void close();

    /** A reader of a source at any offset. */
    @FunctionalInterface
    interface PositionalReader {
        /**
         * Fills {@code target}.
         *
         * @param offset in the file
         * @throws CloudMwException {@code LOCAL_IO} when there are fewer bytes, or they cannot be read
         */
        void read(long offset, ByteBuffer target) throws CloudMwException;
    }

    /** The bytes of one chunk. */
    interface Part extends AutoCloseable {
        /** A part of a source that can be read at any offset; closing it does nothing. */
        static Part of(ByteRange range, PositionalReader source) {
            return new Part() {
                @Override
                public long length() {
                    return range.length();
                }

                @Override
                public void read(long offset, ByteBuffer target) throws CloudMwException {
                    source.read(range.offset() + offset, target);
                }

                @Override
                public void close() {}
            };
        }

        /** The length in bytes. */
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

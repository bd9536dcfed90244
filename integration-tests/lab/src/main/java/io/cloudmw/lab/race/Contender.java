package io.cloudmw.lab.race;

import io.cloudmw.client.file.PositionalTarget;

/** A way of reading a file. Used by one thread. */
public interface Contender extends AutoCloseable {
    /** The name under which it is reported. */
    String name();

    /**
     * Reads the whole file; returns when its last byte was handed on.
     *
     * @param destination takes the bytes, as fast as the emulated destination does
     */
    void read(LabFile file, PositionalTarget destination) throws Exception;

    /**
     * Whether the bytes really go through {@code destination}. Otherwise the laboratory caps the contender's connections
     * together, on their way.
     */
    default boolean usesDestination() {
        return true;
    }

    @Override
    default void close() {}
}

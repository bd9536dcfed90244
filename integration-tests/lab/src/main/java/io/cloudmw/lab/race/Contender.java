package io.cloudmw.lab.race;

import io.cloudmw.client.file.PositionalTarget;

/** A way of reading a file, which the benchmark measures. Used by one thread. */
public interface Contender extends AutoCloseable {
    /** Returns the contender's name in the report. */
    String name();

    /**
     * Reads the whole file; returns when the last byte has been delivered.
     *
     * @param destination takes the bytes, at the speed of the emulated destination
     */
    void read(LabFile file, PositionalTarget destination) throws Exception;

    /**
     * Returns whether the bytes pass through {@code destination}. Otherwise the lab caps the total speed of the
     * contender's connections in the proxy.
     */
    default boolean usesDestination() {
        return true;
    }

    @Override
    default void close() {}
}

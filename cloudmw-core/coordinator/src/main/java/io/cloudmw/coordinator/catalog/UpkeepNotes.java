package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;

/**
 * Short notes that upkeep leaves for its next holder: positions and requests. Atomic, durable and safe for any thread
 * like the {@link Catalog}; calls block.
 */
public interface UpkeepNotes {
    /** The largest number of notes under one prefix. */
    int MAX = 10_000;

    /** The most characters of a text. */
    int MAX_TEXT = 4096;

    /** Returns the notes whose keys have this prefix, by key; at most {@value #MAX}. */
    Map<String, String> startingWith(String prefix) throws CloudMwException;

    /**
     * Replaces the note under a key; an empty text removes it.
     *
     * @param lease the lease of the writing job
     * @param key not empty
     * @param text at most {@value #MAX_TEXT} characters
     * @throws CloudMwException {@code LEASE_LOST} when another coordinator does upkeep now; {@code INVALID_ARGUMENT}
     */
    void put(Lease lease, String key, String text) throws CloudMwException;
}

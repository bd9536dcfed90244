package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;

/**
 * What upkeep notes of itself so that whoever does it next goes on: positions, and what was asked for. Few and short. Atomic,
 * durable and safe for any thread like the {@link Catalog} that gives it out; calls block.
 */
public interface Notes {
    /** There are never more under one prefix. */
    int MAX = 10_000;

    /** Characters of a text. */
    int MAX_TEXT = 4096;

    /** What was noted under keys with this prefix, by key; at most {@value #MAX}. */
    Map<String, String> startingWith(String prefix) throws CloudMwException;

    /**
     * Notes a text, in place of what was noted under the key; an empty one leaves nothing.
     *
     * @param lease what it is done under
     * @param key not empty
     * @param text at most {@value #MAX_TEXT} characters
     * @throws CloudMwException {@code LEASE_LOST} when another coordinator does upkeep now; {@code INVALID_ARGUMENT}
     */
    void put(Lease lease, String key, String text) throws CloudMwException;
}

package io.cloudmw.coordinator.upload;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.Chunk;

/** The manifest entries that a new version may have of chunks that it has not written. */
interface ForeignEntries {
    /**
     * Checks an entry. Locations are overlaid on any manifest that has the chunk, so all entries of one chunk must be
     * equal but for their places.
     *
     * @param segment of the new version that contains it
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the version may not have it
     */
    void require(Chunk chunk, int segment) throws CloudMwException;
}

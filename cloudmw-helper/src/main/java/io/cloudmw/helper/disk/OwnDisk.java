package io.cloudmw.helper.disk;

import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.ChunkStore;

/**
 * A disk attached to this helper.
 *
 * @param store how it is announced
 * @param chunks how it is read and written here
 * @param usage how full it is
 */
public record OwnDisk(Store store, ChunkStore chunks, Usage usage) {
    /** Asks a disk how full it is; may block. */
    public interface Usage {
        long usedBytes() throws java.io.IOException;

        long freeBytes() throws java.io.IOException;
    }
}

package io.cloudmw.helper.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;

/**
 * A disk attached to this helper.
 *
 * @param store the disk as announced to the cluster
 * @param chunks reads and writes its chunks
 * @param usage measures how full it is
 * @param admission admits it to the cluster
 */
public record OwnDisk(Store store, ChunkStore chunks, Usage usage, Admission admission) {
    /** The admission of a disk when its helper registers; may block. */
    public interface Admission {
        DiskClaim claim();

        /** Notes that the cluster has admitted the disk. */
        void accepted(String cluster) throws CloudMwException;
    }

    /** The usage of a disk; may block. */
    public interface Usage {
        long usedBytes() throws java.io.IOException;

        long freeBytes() throws java.io.IOException;

        /** The bytes that its file system must keep free. */
        long reserveBytes() throws java.io.IOException;
    }
}

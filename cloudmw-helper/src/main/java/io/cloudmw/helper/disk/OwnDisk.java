package io.cloudmw.helper.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.ChunkStore;

/**
 * A disk attached to this helper.
 *
 * @param store how it is announced
 * @param chunks how it is read and written here
 * @param usage how full it is
 * @param admission how it becomes known to the cluster
 */
public record OwnDisk(Store store, ChunkStore chunks, Usage usage, Admission admission) {
    /** The admission of a disk when its helper registers; may block. */
    public interface Admission {
        DiskClaim claim();

        /** The cluster has taken the disk in. */
        void accepted(String cluster) throws CloudMwException;
    }

    /** Asks a disk how full it is; may block. */
    public interface Usage {
        long usedBytes() throws java.io.IOException;

        long freeBytes() throws java.io.IOException;

        /** The bytes that its file system must keep free. */
        long reserveBytes() throws java.io.IOException;
    }
}

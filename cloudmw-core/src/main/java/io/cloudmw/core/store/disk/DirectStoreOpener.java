package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import java.nio.file.Path;

/**
 * The opener of stores that this process reaches by itself. Buckets are opened over {@code s3}. Disks are directories
 * of this machine, opened for reading and writing by their owner and for reading by other processes. It opens anew at
 * every call: put a {@link io.cloudmw.core.store.CachingStoreOpener} in front.
 */
public final class DirectStoreOpener implements StoreOpener {
    private final StoreOpener s3;
    private final DiskOpener disks;

    private DirectStoreOpener(StoreOpener s3, DiskOpener disks) {
        this.s3 = s3;
        this.disks = disks;
    }

    /**
     * The opener for the helper that owns the disks.
     *
     * @param s3 usually {@link io.cloudmw.core.store.s3.S3Stores}; the caller closes it
     * @param reserveBytes puts leave this much of each disk's file system free
     */
    public static DirectStoreOpener owning(StoreOpener s3, long reserveBytes) {
        return new DirectStoreOpener(s3, (id, path) -> DiskChunkStore.open(id, path, reserveBytes, FreeSpace.system()));
    }

    /** The opener for processes that only read disks of this machine, without disturbing their owner. */
    public static DirectStoreOpener reading(StoreOpener s3) {
        return new DirectStoreOpener(s3, DiskChunkStore::openForReading);
    }

    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        if (store.kind() instanceof Store.Disk disk) {
            return disks.open(store.id(), disk.path());
        }
        return s3.open(store);
    }

    @FunctionalInterface
    private interface DiskOpener {
        ChunkStore open(StoreId id, Path path) throws CloudMwException;
    }
}

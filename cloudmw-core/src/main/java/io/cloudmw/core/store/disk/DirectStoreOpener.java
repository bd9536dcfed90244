package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import java.nio.file.Path;

/**
 * Opens stores this process reaches by itself: buckets over {@code s3}, disks as directories of this machine,
 * either for reading and writing (their owner) or for reading only (everyone else). Opens anew at every call: put a
 * {@link io.cloudmw.core.store.CachingStoreOpener} in front.
 */
public final class DirectStoreOpener implements StoreOpener {
    private final StoreOpener s3;
    private final DiskOpener disks;

    private DirectStoreOpener(StoreOpener s3, DiskOpener disks) {
        this.s3 = s3;
        this.disks = disks;
    }

    /**
     * For the helper that owns the disks.
     *
     * @param s3 usually {@link io.cloudmw.core.store.s3.S3Stores}; stays the caller's to close
     * @param reserveBytes puts leave this much of each disk's file system free
     */
    public static DirectStoreOpener owning(StoreOpener s3, long reserveBytes) {
        return new DirectStoreOpener(s3, (id, path) -> DiskChunkStore.open(id, path, reserveBytes, FreeSpace.system()));
    }

    /** For processes that only read disks they happen to see, without disturbing their owner. */
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

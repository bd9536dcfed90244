package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.PackedChunks;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The search for the copies of a recovered volume's chunks. It records where they differ from the manifests, since the
 * stores' listings are newer than any backup. Versions and listings have the same order, so both are read side by side:
 * once for packs, if there are any, and once for files. Confined to one thread.
 */
final class CopyLocator {
    private static final int PAGE = 100;

    private final Catalog catalog;
    private final Lease lease;
    private final RecoveryStores all;
    private final boolean verify;
    private final long nowMillis;
    private final List<ReplicaRecord> records = new ArrayList<>();

    /** The packs with a good copy. */
    private final Set<VersionId> packs = new HashSet<>();

    private List<StoreChunkListing> stores = List.of();
    private long chunks;
    private long found;
    private long moved;
    private long missing;
    private long corrupt;
    private long lostFiles;
    private long unseenFiles;

    CopyLocator(Catalog catalog, Lease lease, RecoveryStores stores, boolean verify, long nowMillis) {
        this.catalog = catalog;
        this.lease = lease;
        this.all = stores;
        this.verify = verify;
        this.nowMillis = nowMillis;
    }

    /** Locates the copies of all files of a volume. */
    RecoveryReport.Copies run(VolumeName volume, RecoveryListener listener) throws CloudMwException {
        locatePacks(volume);
        list();
        long files = 0;
        long bytes = 0;
        String token = "";
        do {
            Page<FileVersion> page = catalog.live(token, PAGE);
            for (FileVersion version : page.items()) {
                boolean pack = version.file().equals(FilePath.ofPack(volume, version.id()));
                if (version.file().volume().equals(volume) && !pack) {
                    locate(version, listener);
                    bytes += version.sizeBytes();
                    listener.located(++files, bytes);
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty());
        settle();
        return new RecoveryReport.Copies(chunks, found, moved, missing, corrupt, lostFiles, unseenFiles);
    }

    private void list() {
        stores = all.all().stream().map(StoreChunkListing::new).toList();
    }

    private void locatePacks(VolumeName volume) throws CloudMwException {
        list();
        String token = "";
        do {
            Page<FileVersion> page = catalog.packs(token, PAGE);
            for (FileVersion pack : page.items()) {
                if (pack.file().volume().equals(volume)) {
                    Chunk chunk = segment(pack, 0).chunks().get(0);
                    if (locate(pack.id(), chunk)) {
                        packs.add(pack.id());
                    }
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty());
    }

    private ManifestSegment segment(FileVersion version, int index) throws CloudMwException {
        byte[] segment = catalog.segment(version.id(), index)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.INTERNAL, version.file() + ": segment " + index + " was not recovered"));
        return ManifestSegment.decode(index, segment);
    }

    private void locate(FileVersion version, RecoveryListener listener) throws CloudMwException {
        boolean lost = false;
        boolean unseen = false;
        for (int i = 0; i < version.segmentCount(); i++) {
            for (Chunk chunk : PackedChunks.located(catalog, segment(version, i).chunks())) {
                boolean there = chunk.id().slice().isPresent() ? isSliceThere(chunk) : locate(version.id(), chunk);
                if (!there) {
                    boolean certain = isRead(chunk);
                    lost |= certain;
                    unseen |= !certain;
                }
            }
        }
        if (lost || unseen) {
            lostFiles += lost ? 1 : 0;
            unseenFiles += lost ? 0 : 1;
            listener.lost(version.file(), lost);
        }
    }

    private boolean isRead(Chunk chunk) {
        List<StoreId> read = stores.stream().map(StoreChunkListing::id).toList();
        return read.containsAll(chunk.replicas());
    }

    /** Returns whether a slice can be read: a pack with a damaged copy may still have the bytes of some files. */
    private boolean isSliceThere(Chunk slice) {
        return packs.contains(slice.id().version())
                || (verify && stores.stream().anyMatch(store -> ChunkCopyReader.isRight(store.store(), slice)));
    }

    /** Returns whether the chunk has a copy. */
    private boolean locate(VersionId version, Chunk chunk) throws CloudMwException {
        chunks++;
        int copies = 0;
        List<StoreId> absent = new ArrayList<>();
        List<StoreId> elsewhere = new ArrayList<>();
        for (StoreChunkListing store : stores) {
            boolean placed = chunk.replicas().contains(store.id());
            if (!has(store, version, chunk.id())) {
                if (placed) {
                    absent.add(store.id());
                }
            } else if (verify && !ChunkCopyReader.isRight(store.store(), chunk)) {
                corrupt++;
                if (placed) {
                    add(chunk, store.id(), ReplicaState.CORRUPT);
                }
            } else {
                copies++;
                if (!placed) {
                    elsewhere.add(store.id());
                }
            }
        }
        record(chunk, absent, elsewhere);
        found += copies;
        return copies > 0;
    }

    /** Returns whether a store has the chunk. Chunks that another version wrote are not near the listing's position. */
    private static boolean has(StoreChunkListing store, VersionId version, ChunkId chunk) throws CloudMwException {
        return chunk.version().equals(version)
                ? store.has(chunk)
                : store.store().length(chunk).isPresent();
    }

    /** Records differences: for each copy found elsewhere, one absent copy counts as moved. */
    private void record(Chunk chunk, List<StoreId> absent, List<StoreId> elsewhere) throws CloudMwException {
        for (StoreId store : elsewhere) {
            add(chunk, store, ReplicaState.MOVED);
        }
        for (int i = 0; i < absent.size(); i++) {
            add(chunk, absent.get(i), i < elsewhere.size() ? ReplicaState.GONE : ReplicaState.MISSING);
        }
        moved += elsewhere.size();
        missing += Math.max(0, absent.size() - elsewhere.size());
    }

    private void add(Chunk chunk, StoreId store, ReplicaState state) throws CloudMwException {
        records.add(new ReplicaRecord(chunk.id(), store, state, nowMillis));
        if (records.size() == UpkeepRecords.MAX_SETTLED) {
            settle();
        }
    }

    private void settle() throws CloudMwException {
        if (!records.isEmpty()) {
            catalog.settle(lease, List.copyOf(records));
            records.clear();
        }
    }
}

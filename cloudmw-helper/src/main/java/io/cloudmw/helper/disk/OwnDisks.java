package io.cloudmw.helper.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The disks attached to this helper. Owns and closes them. */
public final class OwnDisks implements AutoCloseable {
    private final Map<StoreId, OwnDisk> disks = new TreeMap<>();

    public OwnDisks(List<OwnDisk> disks) {
        disks.forEach(disk -> this.disks.put(disk.store().id(), disk));
    }

    /** The store of a disk's chunks; empty when the disk is not attached here. */
    public Optional<ChunkStore> find(StoreId id) {
        return Optional.ofNullable(disks.get(id)).map(OwnDisk::chunks);
    }

    /** Returns whether a chunk of this length lies on a disk; false when the disk cannot tell. */
    public boolean holds(StoreId disk, ChunkId chunk, long lengthBytes) {
        Optional<ChunkStore> chunks = find(disk);
        try {
            return chunks.isPresent() && chunks.get().length(chunk).equals(OptionalLong.of(lengthBytes));
        } catch (CloudMwException e) {
            return false;
        }
    }

    public List<OwnDisk> all() {
        return List.copyOf(disks.values());
    }

    @Override
    public void close() {
        disks.values().forEach(disk -> disk.chunks().close());
    }
}

package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.wire.BackupWire;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The search for backups in stores. It finds their roots by the names of their chunks, and checks that everything they
 * name exists and is right. Confined to one thread.
 */
final class BackupFinder {
    private static final int PAGE = 1000;

    private final RecoveryStores stores;
    private final ChunkCopyReader copies;
    private final List<String> refused = new ArrayList<>();

    BackupFinder(RecoveryStores stores, ChunkCopyReader copies) {
        this.stores = stores;
        this.copies = copies;
    }

    /** Returns the findings that are not used, with the reasons. */
    List<String> refused() {
        return refused;
    }

    /** Returns the valid backups of a volume, the newest first. Opens the stores that they name. */
    List<BackupRoot> find(VolumeName volume) throws CloudMwException {
        Map<ChunkId, BackupRoot> found = new LinkedHashMap<>();
        Map<ChunkId, String> failed = new TreeMap<>(Comparator.comparing(ChunkId::toString));
        for (ChunkStore store : List.copyOf(stores.all())) {
            look(store, found, failed);
        }
        failed.keySet().removeAll(found.keySet());
        refused.clear();
        refused.addAll(failed.values());
        List<BackupRoot> ofVolume = new ArrayList<>(found.values().stream()
                .filter(root -> root.volume().name().equals(volume))
                .toList());
        ofVolume.sort(Comparator.comparingLong(BackupRoot::takenAtMillis)
                .thenComparingLong(BackupRoot::number)
                .reversed());
        return ofVolume;
    }

    /** Collects the roots in a store. Roots come first in a listing, so the rest is not read. */
    private void look(ChunkStore store, Map<ChunkId, BackupRoot> found, Map<ChunkId, String> failed)
            throws CloudMwException {
        String token = "";
        do {
            Page<StoredChunk> page = store.list(token, PAGE);
            for (StoredChunk stored : page.items()) {
                ChunkId chunk = stored.id();
                if (!BackupRoot.isRoot(chunk.version())) {
                    return;
                }
                if (!found.containsKey(chunk)) {
                    read(store, chunk, found, failed);
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty());
    }

    private static void read(
            ChunkStore store, ChunkId chunk, Map<ChunkId, BackupRoot> found, Map<ChunkId, String> failed) {
        try {
            found.put(chunk, BackupWire.root(bytes(store, chunk)));
        } catch (CloudMwException e) {
            failed.put(chunk, "root " + chunk + " in store " + store.id() + ": " + e.getMessage());
        }
    }

    private static byte[] bytes(ChunkStore store, ChunkId chunk) throws CloudMwException {
        OptionalLong length = store.length(chunk);
        if (length.isEmpty() || length.getAsLong() > BackupWire.MAX_ROOT_BYTES) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "backup root: " + length + " bytes (expected: <= " + BackupWire.MAX_ROOT_BYTES + ")");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) length.getAsLong());
        try (ChunkReader in = store.read(chunk, new ByteRange(0, length.getAsLong()))) {
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // The digest reveals missing parts.
            }
        }
        return bytes.array();
    }

    /** Returns whether every part exists and is right, by reading all of it; records the reason otherwise. */
    boolean isWhole(BackupRoot root) {
        for (BackupPart part : root.parts()) {
            try (InputStream in = new BackupPartStream(copies, part)) {
                in.transferTo(OutputStream.nullOutputStream());
            } catch (java.io.IOException e) {
                refused.add("backup " + root.number() + ": part " + part.file().id() + ": " + e.getMessage());
                return false;
            }
        }
        return true;
    }
}

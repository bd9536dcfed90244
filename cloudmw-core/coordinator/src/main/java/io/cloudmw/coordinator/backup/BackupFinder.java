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

/** Finds backups in stores: their roots by the names of their chunks, and whether all they name is there and right. */
final class BackupFinder {
    private static final int PAGE = 1000;

    private final GivenStores stores;
    private final ChunkCopies copies;
    private final List<String> refused = new ArrayList<>();

    BackupFinder(GivenStores stores, ChunkCopies copies) {
        this.stores = stores;
        this.copies = copies;
    }

    /** What was found and is not used, and why. */
    List<String> refused() {
        return refused;
    }

    /** The backups of a volume whose roots are right, the newest first. Opens the stores that they name. */
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

    /** Roots come first in a listing: the rest is not looked at. */
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
                // What is missing, the digest says.
            }
        }
        return bytes.array();
    }

    /** Whether every part is there, and right; all of it is read. If not, it is noted why. */
    boolean isWhole(BackupRoot root) {
        for (BackupPart part : root.parts()) {
            try (InputStream in = new PartStream(copies, part)) {
                in.transferTo(OutputStream.nullOutputStream());
            } catch (java.io.IOException e) {
                refused.add("backup " + root.number() + ": part " + part.file().id() + ": " + e.getMessage());
                return false;
            }
        }
        return true;
    }
}

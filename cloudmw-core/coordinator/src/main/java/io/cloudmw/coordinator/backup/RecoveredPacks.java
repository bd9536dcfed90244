package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.sqlite.RecoveryScratch;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.wire.BackupWire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The packs of recovered files: as the backup has them, or, when they were compacted since, as stores have them. The
 * chunk of a compacted pack ends with the place of its bytes, and its id begins like that of the original. Safe for any
 * thread; calls block on stores.
 */
final class RecoveredPacks {
    private static final int PAGE = 1000;

    private final RecoveryScratch scratch;
    private final RecoveryStores stores;

    RecoveredPacks(RecoveryScratch scratch, RecoveryStores stores) {
        this.scratch = scratch;
        this.stores = stores;
    }

    /**
     * A pack.
     *
     * @param place of the bytes of the original; empty: it is the original
     */
    record Found(Chunk chunk, Optional<PackRelocation> place) {}

    /**
     * Returns the pack that has the slices which a file names.
     *
     * @param named the pack of which the file's manifest names slices
     */
    Found find(VersionId named, FileVersion file) throws CloudMwException {
        Optional<byte[]> encoded = scratch.place(named);
        Optional<PackRelocation> place =
                encoded.isPresent() ? Optional.of(BackupWire.relocation(encoded.get())) : Optional.empty();
        VersionId pack = place.map(PackRelocation::pack).orElse(named);
        byte[] segment = scratch.segment(pack, 0)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.INTERNAL, file.file() + ": the backup has no segment of its pack " + pack));
        Chunk chunk = ManifestSegment.decode(0, segment).chunks().get(0);
        Found inBackup = new Found(chunk, place);
        return isThere(chunk.id()) ? inBackup : compactedSince(named, chunk).orElse(inBackup);
    }

    private boolean isThere(ChunkId chunk) throws CloudMwException {
        for (ChunkStore store : stores.all()) {
            if (store.length(chunk).isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the largest pack in the stores with bytes of the original; smaller ones have fewer of them. */
    private Optional<Found> compactedSince(VersionId original, Chunk before) throws CloudMwException {
        Optional<Found> best = Optional.empty();
        for (ChunkStore store : stores.all()) {
            for (StoredChunk candidate : near(store, original)) {
                long bytes = best.map(found -> found.chunk().range().length()).orElse(0L);
                if (candidate.bytes() > bytes) {
                    Optional<Found> found = read(store, candidate, original, before.leafSizeBytes());
                    best = found.isPresent() ? found : best;
                }
            }
        }
        return best;
    }

    /** Returns the chunks of a store whose ids begin like that of a pack. */
    private static List<StoredChunk> near(ChunkStore store, VersionId original) throws CloudMwException {
        String prefix = PackRelocation.idPrefix(original);
        String first = prefix + "0".repeat(original.value().length() - prefix.length());
        List<StoredChunk> near = new ArrayList<>();
        for (StoredChunk chunk : store.list(new ChunkId(new VersionId(first), 0).toString(), PAGE)
                .items()) {
            if (chunk.id().version().value().startsWith(prefix)
                    && !chunk.id().version().equals(original)) {
                near.add(chunk);
            }
        }
        return near;
    }

    /** Reads a copy of a compacted pack; empty when it is none, or damaged. */
    private static Optional<Found> read(ChunkStore store, StoredChunk copy, VersionId original, int leafSizeBytes) {
        try {
            long length = copy.bytes();
            if (length < BackupWire.PACK_FRAME_BYTES) {
                return Optional.empty();
            }
            byte[] frame = read(store, copy.id(), tail(length, BackupWire.PACK_FRAME_BYTES));
            OptionalInt message = BackupWire.packEndBytes(ByteBuffer.wrap(frame));
            if (message.isEmpty() || length < message.getAsInt() + BackupWire.PACK_FRAME_BYTES) {
                return Optional.empty();
            }
            int end = message.getAsInt() + BackupWire.PACK_FRAME_BYTES;
            PackRelocation place = BackupWire.packEnd(read(store, copy.id(), tail(length, end)));
            boolean right = place.original().equals(original)
                    && place.chunk().equals(copy.id())
                    && place.keptBytes() + end == length;
            if (!right) {
                return Optional.empty();
            }
            ChunkDigester digester = new ChunkDigester(length, leafSizeBytes);
            for (long at = 0; at < length; at += ChunkCopyReader.WINDOW_BYTES) {
                int count = (int) Math.min(ChunkCopyReader.WINDOW_BYTES, length - at);
                digester.update(ByteBuffer.wrap(read(store, copy.id(), new ByteRange(at, count))));
            }
            Chunk chunk =
                    new Chunk(0, copy.id(), new ByteRange(0, length), leafSizeBytes, digester.finish(), place.stores());
            return Optional.of(new Found(chunk, Optional.of(place)));
        } catch (CloudMwException e) {
            return Optional.empty();
        }
    }

    private static ByteRange tail(long length, int bytes) {
        return new ByteRange(length - bytes, bytes);
    }

    private static byte[] read(ChunkStore store, ChunkId chunk, ByteRange range) throws CloudMwException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(range.length()));
        try (ChunkReader reader = store.read(chunk, range)) {
            while (bytes.hasRemaining()) {
                if (reader.read(bytes) < 0) {
                    throw new CloudMwException(
                            ErrorCode.REPLICA_CORRUPT, "chunk=" + chunk + " store=" + store.id() + ": ends early");
                }
            }
        }
        return bytes.array();
    }
}

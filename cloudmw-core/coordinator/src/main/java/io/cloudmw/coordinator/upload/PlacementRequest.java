package io.cloudmw.coordinator.upload;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;
import java.util.Set;

/**
 * A request to place consecutive chunks of one version.
 *
 * @param avoid helpers that the writer could not reach; not chosen again if there is another
 * @param refusing stores that refused chunks of this upload for good; nothing is sent there
 * @param cut how the file is cut; empty: its length is unknown, and a chunk may have the full size
 */
public record PlacementRequest(
        FilePath file,
        VersionId version,
        long firstIndex,
        int count,
        Set<HelperId> avoid,
        Set<StoreId> refusing,
        Optional<ChunkCutter> cut) {
    public PlacementRequest {
        avoid = Set.copyOf(avoid);
        refusing = Set.copyOf(refusing);
    }

    /** Creates a request of an upload that no store has refused. */
    public PlacementRequest(
            FilePath file,
            VersionId version,
            long firstIndex,
            int count,
            Set<HelperId> avoid,
            Optional<ChunkCutter> cut) {
        this(file, version, firstIndex, count, avoid, Set.of(), cut);
    }

    /**
     * Returns how a file is cut, from the fields of a message.
     *
     * @param sizeBytes zero: not known
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    public static Optional<ChunkCutter> cut(long sizeBytes, long chunkSizeBytes) throws CloudMwException {
        if (sizeBytes == 0 && chunkSizeBytes == 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ChunkCutter(sizeBytes, chunkSizeBytes));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the size of this chunk; zero: not known. */
    long bytes(long index, Volume volume) {
        if (cut.isPresent() && index < cut.get().count()) {
            return cut.get().range(index).length();
        }
        return volume.chunking() instanceof Chunking.BySize bySize ? bySize.bytes() : 0;
    }
}

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
 * Chunks of one version, next to each other, that are to be placed.
 *
 * @param avoid helpers the writer could not reach: not chosen again if there is another
 * @param refusing stores that refused chunks of this put for good: nothing is sent there
 * @param cut how the file is cut; empty: its length is not known yet, and a chunk may need all that a chunk can have
 */
public record PlaceRequest(
        FilePath file,
        VersionId version,
        long firstIndex,
        int count,
        Set<HelperId> avoid,
        Set<StoreId> refusing,
        Optional<ChunkCutter> cut) {
    public PlaceRequest {
        avoid = Set.copyOf(avoid);
        refusing = Set.copyOf(refusing);
    }

    /** A request of a put that no store has refused. */
    public PlaceRequest(
            FilePath file,
            VersionId version,
            long firstIndex,
            int count,
            Set<HelperId> avoid,
            Optional<ChunkCutter> cut) {
        this(file, version, firstIndex, count, avoid, Set.of(), cut);
    }

    /**
     * How a file is cut, as a message says it.
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

    /** The bytes that this chunk needs; zero: not known. */
    long bytes(long index, Volume volume) {
        if (cut.isPresent() && index < cut.get().count()) {
            return cut.get().range(index).length();
        }
        return volume.chunking() instanceof Chunking.BySize bySize ? bySize.bytes() : 0;
    }
}

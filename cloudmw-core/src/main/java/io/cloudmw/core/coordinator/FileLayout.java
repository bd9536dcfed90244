package io.cloudmw.core.coordinator;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Volume;
import java.util.Optional;

/** How the files of a volume are cut. */
final class FileLayout {
    /** A file that grows in a volume of n chunks keeps the size of its chunks until it has this many times n. */
    static final int MAX_GROWTH = 2;

    private FileLayout() {}

    /**
     * A file that is written whole.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it would have too many chunks
     */
    static ManifestPlan anew(Volume volume, long sizeBytes) throws CloudMwException {
        if (sizeBytes < 0) {
            throw invalid("size: " + sizeBytes + " (expected: >= 0)");
        }
        return plan(volume, sizeBytes, volume.chunking().chunkSizeBytes(sizeBytes));
    }

    /**
     * A file of which part is changed: cut as it was, so that chunks can be shared, unless it has grown too much for that.
     *
     * @param sizeBytes afterwards
     */
    static ManifestPlan changed(Volume volume, FileVersion base, long sizeBytes) throws CloudMwException {
        long kept = chunkSize(volume, base);
        boolean outgrown = volume.chunking().chunkSizeBytes(sizeBytes) / MAX_GROWTH > kept;
        return base.chunkCount() == 0 || outgrown ? anew(volume, sizeBytes) : plan(volume, sizeBytes, kept);
    }

    /**
     * As a version that is to be committed says it is cut.
     *
     * @param base what it changes, or replaces
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a file of this size is not to be cut so
     */
    static ManifestPlan of(Volume volume, Optional<FileVersion> base, FileVersion version) throws CloudMwException {
        ManifestPlan whole = anew(volume, version.sizeBytes());
        long said = version.chunkSizeBytes();
        if (said == 0 || said == whole.cutter().chunkSizeBytes() || base.isEmpty()) {
            return whole;
        }
        return changed(volume, base.get(), version.sizeBytes());
    }

    /** Bytes of every chunk but the last. */
    static long chunkSize(Volume volume, FileVersion version) {
        return ChunkCutter.of(version, volume.chunking()).chunkSizeBytes();
    }

    private static ManifestPlan plan(Volume volume, long sizeBytes, long chunkSizeBytes) throws CloudMwException {
        ChunkCutter cutter = new ChunkCutter(sizeBytes, chunkSizeBytes);
        if (cutter.count() > ChunkId.MAX_INDEX + 1) {
            throw invalid("size: " + sizeBytes + " makes " + cutter.count() + " chunks of " + chunkSizeBytes
                    + " bytes (expected: <= " + (ChunkId.MAX_INDEX + 1) + ")");
        }
        return new ManifestPlan(cutter, volume.chunking().leafSizeBytes());
    }

    private static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }
}

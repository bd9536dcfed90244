package io.cloudmw.coordinator.upload;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;

/** The rules by which files of a volume are cut into chunks. */
final class FileLayout {
    /** The factor by which a growing file may exceed the volume's number of chunks before its chunk size grows. */
    static final int MAX_GROWTH = 2;

    private FileLayout() {}

    /**
     * Returns the plan of a file that is written whole.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it would have too many chunks
     */
    static ManifestPlan anew(Volume volume, long sizeBytes) throws CloudMwException {
        if (sizeBytes < 0) {
            throw invalid("size: " + sizeBytes + " (expected: >= 0)");
        }
        return plan(
                sizeBytes,
                volume.chunking().chunkSizeBytes(sizeBytes),
                volume.chunking().leafSizeBytes());
    }

    /**
     * Returns the plan of an edited file. It is cut as before, so that chunks can be shared, unless it has grown too
     * much.
     *
     * @param sizeBytes after the edit
     */
    static ManifestPlan changed(Volume volume, FileVersion base, long sizeBytes) throws CloudMwException {
        long kept = chunkSize(volume, base);
        boolean outgrown = volume.chunking().chunkSizeBytes(sizeBytes) / MAX_GROWTH > kept;
        return base.chunkCount() == 0 || outgrown
                ? anew(volume, sizeBytes)
                : plan(sizeBytes, kept, base.leafSizeBytes());
    }

    /**
     * Returns the plan that a version to be committed claims.
     *
     * @param base the version that it changes or replaces
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a file of this size must not be cut that way
     */
    static ManifestPlan of(Volume volume, Optional<FileVersion> base, FileVersion version) throws CloudMwException {
        ManifestPlan whole = anew(volume, version.sizeBytes());
        if (version.chunkSizeBytes() == 0 || isCutAs(version, whole)) {
            return whole;
        }
        ManifestPlan expected = base.isEmpty() ? whole : changed(volume, base.get(), version.sizeBytes());
        boolean changedSince = volume.generation() > 1 && !isCutAs(version, expected);
        return changedSince ? asItSays(version) : expected;
    }

    private static boolean isCutAs(FileVersion version, ManifestPlan plan) {
        return version.chunkSizeBytes() == plan.cutter().chunkSizeBytes()
                && version.leafSizeBytes() == plan.leafSizeBytes();
    }

    /**
     * Checks the version's own layout. Its upload may have begun before the volume changed, so any layout that some
     * volume could have is valid.
     */
    private static ManifestPlan asItSays(FileVersion version) throws CloudMwException {
        try {
            int leaf = new Chunking.ByCount(1, version.leafSizeBytes()).leafSizeBytes();
            if (version.chunkSizeBytes() > Chunking.maxChunkBytes(leaf)) {
                throw invalid("chunk size: " + version.chunkSizeBytes() + " (expected: <= "
                        + Chunking.maxChunkBytes(leaf) + ", for leaves of " + leaf + " bytes)");
            }
            return plan(version.sizeBytes(), version.chunkSizeBytes(), leaf);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the size of every chunk but the last. */
    static long chunkSize(Volume volume, FileVersion version) {
        return ChunkCutter.of(version, volume.chunking()).chunkSizeBytes();
    }

    private static ManifestPlan plan(long sizeBytes, long chunkSizeBytes, int leafSizeBytes) throws CloudMwException {
        ChunkCutter cutter = new ChunkCutter(sizeBytes, chunkSizeBytes);
        if (cutter.count() > ChunkId.MAX_INDEX + 1) {
            throw invalid("size: " + sizeBytes + " makes " + cutter.count() + " chunks of " + chunkSizeBytes
                    + " bytes (expected: <= " + (ChunkId.MAX_INDEX + 1) + ")");
        }
        return new ManifestPlan(cutter, leafSizeBytes);
    }

    private static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }
}

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
        return plan(
                sizeBytes,
                volume.chunking().chunkSizeBytes(sizeBytes),
                volume.chunking().leafSizeBytes());
    }

    /**
     * A file of which part is changed: cut as it was, into chunks and leaves, so that chunks can be shared, unless it has grown too
     * much for that.
     *
     * @param sizeBytes afterwards
     */
    static ManifestPlan changed(Volume volume, FileVersion base, long sizeBytes) throws CloudMwException {
        long kept = chunkSize(volume, base);
        boolean outgrown = volume.chunking().chunkSizeBytes(sizeBytes) / MAX_GROWTH > kept;
        return base.chunkCount() == 0 || outgrown
                ? anew(volume, sizeBytes)
                : plan(sizeBytes, kept, base.leafSizeBytes());
    }

    /**
     * As a version that is to be committed says it is cut.
     *
     * @param base what it changes, or replaces
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a file of this size is not to be cut so
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

    /** The upload may have begun before its volume was changed: any layout that some volume could have is right. */
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

    /** Bytes of every chunk but the last. */
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

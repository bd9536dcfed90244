package io.cloudmw.coordinator.upload;

import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * The plan of an edit of a file.
 *
 * @param manifest how the whole new version is cut
 * @param base the version that is changed, and must still be current at the commit; empty: there is no file
 * @param baseChunkSizeBytes of the base; chunks are shared only if the new version has the same size; 0: none can be
 *     shared
 * @param written the range of the file that is written
 */
public record EditPlan(
        ManifestPlan manifest,
        Optional<FileVersion> base,
        long baseChunkSizeBytes,
        ByteRange written,
        int writeQuorum) {}

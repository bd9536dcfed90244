package io.cloudmw.coordinator.upload;

import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * How a change of part of a file is to be written.
 *
 * @param manifest how the whole new version is cut
 * @param base what is changed, and must still be current at the commit; empty: there is no file
 * @param baseChunkSizeBytes of the base; chunks are shared only where the new version's is the same; 0: none can be
 * @param written where in the file the written bytes go
 */
public record EditPlan(
        ManifestPlan manifest,
        Optional<FileVersion> base,
        long baseChunkSizeBytes,
        ByteRange written,
        int writeQuorum) {}

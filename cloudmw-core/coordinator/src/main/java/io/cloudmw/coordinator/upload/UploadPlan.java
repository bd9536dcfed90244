package io.cloudmw.coordinator.upload;

import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * The plan of an upload.
 *
 * @param manifest how the file is cut into chunks, leaves and segments; for an unknown length, as the longest file;
 *     empty: the cut depends on the length
 * @param expected the version that the path names now, and must still name at the commit; empty: none
 * @param volumeCreatedAtMillis distinguishes the volume from an earlier one of its name
 */
public record UploadPlan(
        Optional<ManifestPlan> manifest, Optional<VersionId> expected, int writeQuorum, long volumeCreatedAtMillis) {}

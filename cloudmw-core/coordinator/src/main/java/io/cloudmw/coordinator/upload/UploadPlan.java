package io.cloudmw.coordinator.upload;

import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * How a file is to be written.
 *
 * @param manifest how it is cut into chunks, leaves and segments; where its length is not known, as the longest there may be
 *     would be; empty: that depends on its length
 * @param expected what the path names now, and must still name at the commit; empty: nothing
 * @param volumeCreatedAtMillis tells the volume from another that had its name before
 */
public record UploadPlan(
        Optional<ManifestPlan> manifest, Optional<VersionId> expected, int writeQuorum, long volumeCreatedAtMillis) {}

package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;
import java.util.Optional;

/**
 * A compare-and-set of the version at a path.
 *
 * @param version the new version of the path; its commit time is when the commit takes effect
 * @param expected the version that the path must name now; empty: none
 * @param owed copies that are promised but not yet durable
 */
public record CommitRequest(FileVersion version, Optional<VersionId> expected, List<ReplicaReport> owed) {
    public CommitRequest {
        owed = List.copyOf(owed);
    }
}

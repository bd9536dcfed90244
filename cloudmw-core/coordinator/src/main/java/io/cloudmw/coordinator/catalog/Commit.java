package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;
import java.util.Optional;

/**
 * The compare-and-set of a path.
 *
 * @param version what the path is to name; its time of commit is when this takes effect
 * @param expected what the path must name now; empty: nothing
 * @param owed copies that are promised but not yet durable
 */
public record Commit(FileVersion version, Optional<VersionId> expected, List<ReplicaReport> owed) {
    public Commit {
        owed = List.copyOf(owed);
    }
}

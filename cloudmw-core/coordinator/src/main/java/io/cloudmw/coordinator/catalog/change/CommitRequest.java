package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.lock.LockClaim;
import java.util.List;
import java.util.Optional;

/**
 * A compare-and-set of the version at a path.
 *
 * @param version the new version of the path; its commit time is when the commit takes effect
 * @param expected the version that the path must name now; empty: none
 * @param owed copies that are promised but not yet durable
 * @param locks the locks on the path that must still be held
 * @param attributes given to a file that the commit creates; another file keeps its own
 * @param parts versions of other files that it shares chunks with, which their paths must name now
 */
public record CommitRequest(
        FileVersion version,
        Optional<VersionId> expected,
        List<ReplicaReport> owed,
        List<LockClaim> locks,
        Attributes attributes,
        List<VersionPart> parts) {
    public CommitRequest {
        owed = List.copyOf(owed);
        locks = List.copyOf(locks);
        parts = List.copyOf(parts);
    }

    /** A commit under no lock, without attributes. */
    public CommitRequest(FileVersion version, Optional<VersionId> expected, List<ReplicaReport> owed) {
        this(version, expected, owed, List.of(), Attributes.NONE, List.of());
    }

    /** The same commit of a version that shares chunks with these. */
    public CommitRequest with(List<VersionPart> shared) {
        return new CommitRequest(version, expected, owed, locks, attributes, shared);
    }

    /** The same commit of this version. */
    public CommitRequest of(FileVersion stamped) {
        return new CommitRequest(stamped, expected, owed, locks, attributes, parts);
    }
}

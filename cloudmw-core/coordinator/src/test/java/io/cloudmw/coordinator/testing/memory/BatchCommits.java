package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitDeadline;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/** The commit of one file of a batch by the calls for single files, which the contract compares with other catalogs. */
final class BatchCommits {
    private BatchCommits() {}

    /** Commits a file; a refusal is an outcome, and any other failure is thrown. */
    static CommitOutcome commit(Catalog catalog, BatchFile file, CommitDeadline deadline) throws CloudMwException {
        try {
            FileVersion version = file.version();
            Optional<FileVersion> earlier = catalog.version(version.id());
            if (earlier.isPresent() && earlier.get().file().equals(version.file())) {
                return new CommitOutcome.Committed(earlier.get());
            }
            if (file.condition().isEmpty()) {
                deadline.require(version.file());
            }
            if (file.segment().isPresent()) {
                EncodedSegment segment = file.segment().get();
                catalog.putSegment(
                        version.id(),
                        segment.index(),
                        segment.bytes(),
                        SharedRun.of(version.id(), segment.chunks()),
                        version.committedAtMillis());
            }
            return new CommitOutcome.Committed(committed(catalog, file));
        } catch (CloudMwException e) {
            if (CommitOutcome.isOfOneFile(e)) {
                return new CommitOutcome.Refused(e);
            }
            throw e;
        }
    }

    private static FileVersion committed(Catalog catalog, BatchFile file) throws CloudMwException {
        FileVersion version = file.version();
        Optional<CurrentFile> before = catalog.file(version.file());
        Optional<VersionId> expected = file.condition().isPresent()
                ? file.condition().get().version()
                : before.map(current -> current.version().id());
        FileVersion committed = catalog.commit(file.commit(expected));
        if (before.isPresent() && !file.set().isEmpty()) {
            Attributes unused = catalog.setAttributes(file.change(), ChangeRequest.once(version.committedAtMillis()));
        }
        return committed;
    }
}

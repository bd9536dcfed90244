package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/** The commit of one file of a batch, for catalogs that commit each file in a step of its own. */
final class BatchCommits {
    /** The most tries of a commit without a condition, beside other writers of the same path. */
    private static final int TRIES = 16;

    private BatchCommits() {}

    /** Commits a file; a refusal is an outcome, and any other failure is thrown. */
    static CommitOutcome commit(Catalog catalog, BatchFile file) throws CloudMwException {
        try {
            FileVersion version = file.version();
            if (file.segment().isPresent()) {
                ManifestSegment segment = file.segment().get();
                catalog.putSegment(
                        version.id(),
                        segment.index(),
                        segment.encode(),
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
        for (int tries = 1; ; tries++) {
            Optional<CurrentFile> before = catalog.file(version.file());
            Optional<VersionId> expected = file.condition().isPresent()
                    ? file.condition().get().version()
                    : before.map(current -> current.version().id());
            try {
                FileVersion committed = catalog.commit(file.commit(expected));
                if (before.isPresent() && !file.set().isEmpty()) {
                    Attributes unused =
                            catalog.setAttributes(file.change(), ChangeRequest.once(version.committedAtMillis()));
                }
                return committed;
            } catch (CloudMwException e) {
                boolean raced =
                        e.code() == ErrorCode.CONFLICT && file.condition().isEmpty();
                if (!raced || tries == TRIES) {
                    throw e;
                }
            }
        }
    }
}

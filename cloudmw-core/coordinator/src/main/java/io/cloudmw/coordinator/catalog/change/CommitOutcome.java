package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.FileVersion;

/** The result of one file of a {@link BatchCommit}. */
public sealed interface CommitOutcome {
    /** The file was committed, now or by an earlier try of the same commit. */
    record Committed(FileVersion version) implements CommitOutcome {}

    /** The file was refused, and its path is as it was. */
    record Refused(CloudMwException reason) implements CommitOutcome {}

    /** Returns whether an error concerns the file alone; false when other files of the batch would meet it, too. */
    static boolean isOfOneFile(CloudMwException e) {
        return switch (e.code()) {
            case CONFLICT, ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, LOCK_LOST, QUORUM_NOT_MET, DEADLINE_EXCEEDED ->
                true;
            default -> false;
        };
    }
}

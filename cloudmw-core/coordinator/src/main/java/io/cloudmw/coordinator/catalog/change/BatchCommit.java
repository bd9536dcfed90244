package io.cloudmw.coordinator.catalog.change;

import java.util.List;
import java.util.Optional;

/**
 * A commit of several files of one volume. Files succeed and fail each for itself.
 *
 * @param pack the version whose only chunk holds the bytes of the files; empty: each file has chunks of its own
 * @param files at most {@value #MAX_FILES}
 * @param deadline no file without a condition is committed after it
 */
public record BatchCommit(Optional<Pack> pack, List<BatchFile> files, CommitDeadline deadline) {
    /** The most files of one commit. */
    public static final int MAX_FILES = 1000;

    public BatchCommit {
        files = List.copyOf(files);
        if (files.size() > MAX_FILES) {
            throw new IllegalArgumentException("files: " + files.size() + " (expected: <= " + MAX_FILES + ")");
        }
    }

    /** A commit without a deadline. */
    public BatchCommit(Optional<Pack> pack, List<BatchFile> files) {
        this(pack, files, CommitDeadline.NONE);
    }
}

package io.cloudmw.client.tree;

import io.cloudmw.core.error.CloudMwException;
import java.util.List;

/**
 * The results of a run over a directory's files.
 *
 * @param copied files that were copied, or would be
 * @param copiedBytes bytes of those
 * @param resumedBytes bytes of those that an interrupted copy had moved
 * @param unchanged files that were the same on both sides
 * @param unchangedBytes bytes of those
 * @param deleted files that the source lacks, which were deleted, or would be
 * @param skipped paths that are neither files nor directories
 * @param failed files that could not be copied or deleted
 * @param failures the first {@value #MAX_FAILURES} of those, in order
 */
public record TreeReport(
        long copied,
        long copiedBytes,
        long resumedBytes,
        long unchanged,
        long unchangedBytes,
        long deleted,
        long skipped,
        long failed,
        List<Failure> failures) {
    /** Failures beyond this number are only counted. */
    public static final int MAX_FAILURES = 1000;

    public TreeReport {
        failures = List.copyOf(failures);
    }

    /** A file that could not be copied or deleted. */
    public record Failure(String file, CloudMwException why) {}
}

package io.cloudmw.client.tree;

import io.cloudmw.core.error.CloudMwException;
import java.util.List;

/**
 * What became of the files of a directory.
 *
 * @param copied that were copied, or would be
 * @param copiedBytes of those
 * @param resumedBytes of those, what an interrupted copy had left
 * @param unchanged that were there already
 * @param unchangedBytes of those
 * @param deleted that the source has not, and were deleted, or would be
 * @param skipped neither files nor directories
 * @param failed that could not be copied or deleted
 * @param failures the first {@value #MAX_FAILURES} of those, in the order they happened
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
    /** Of more than these only the number is known. */
    public static final int MAX_FAILURES = 1000;

    public TreeReport {
        failures = List.copyOf(failures);
    }

    /** A file that could not be copied or deleted. */
    public record Failure(String file, CloudMwException why) {}
}

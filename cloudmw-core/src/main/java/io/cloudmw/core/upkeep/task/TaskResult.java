package io.cloudmw.core.upkeep.task;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.StoreId;
import java.util.List;
import java.util.Optional;

/**
 * How a helper's task went.
 *
 * @param task the number it was given under
 * @param failure why it failed; empty: it is done
 * @param bytes how many it moved, verified or deleted
 * @param faults what it found out about copies on its way
 * @param blamed the store that failed, when that is why
 */
public record TaskResult(
        long task,
        Optional<ErrorCode> failure,
        String message,
        long bytes,
        List<ReplicaReport> faults,
        Optional<StoreId> blamed) {
    public TaskResult {
        faults = List.copyOf(faults);
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
    }
}

package io.cloudmw.core.upkeep;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.StoredChunk;
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
 * @param listed of a survey or a look: what lies in the store; only a survey tells lengths
 */
public record TaskResult(
        long task,
        Optional<ErrorCode> failure,
        String message,
        long bytes,
        List<ReplicaReport> faults,
        Optional<StoreId> blamed,
        Page<StoredChunk> listed) {
    public TaskResult {
        faults = List.copyOf(faults);
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
    }

    /** One that listed nothing. */
    public TaskResult(
            long task,
            Optional<ErrorCode> failure,
            String message,
            long bytes,
            List<ReplicaReport> faults,
            Optional<StoreId> blamed) {
        this(task, failure, message, bytes, faults, blamed, new Page<>(List.of(), ""));
    }
}

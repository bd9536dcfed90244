package io.cloudmw.core.upkeep;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.util.List;
import java.util.Optional;

/**
 * The result of a helper's task.
 *
 * @param task the number of the assignment
 * @param failure why it failed; empty: it is done
 * @param bytes how many it moved, verified or deleted
 * @param faults faults of copies that the helper found
 * @param blamed the store that caused the failure, if one did
 * @param listed the chunks of a survey or a look; only a survey tells lengths
 * @param made the chunk of a new pack, in the task's store
 */
public record TaskResult(
        long task,
        Optional<ErrorCode> failure,
        String message,
        long bytes,
        List<ReplicaReport> faults,
        Optional<StoreId> blamed,
        Page<StoredChunk> listed,
        Optional<Chunk> made) {
    public TaskResult {
        faults = List.copyOf(faults);
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
    }

    /** Creates a result without a list of chunks. */
    public TaskResult(
            long task,
            Optional<ErrorCode> failure,
            String message,
            long bytes,
            List<ReplicaReport> faults,
            Optional<StoreId> blamed) {
        this(task, failure, message, bytes, faults, blamed, new Page<>(List.of(), ""));
    }

    /** Creates a result without a new pack. */
    public TaskResult(
            long task,
            Optional<ErrorCode> failure,
            String message,
            long bytes,
            List<ReplicaReport> faults,
            Optional<StoreId> blamed,
            Page<StoredChunk> listed) {
        this(task, failure, message, bytes, faults, blamed, listed, Optional.empty());
    }

    /** Returns the same result with the chunk of a new pack. */
    public TaskResult with(Chunk pack) {
        return new TaskResult(task, failure, message, bytes, faults, blamed, listed, Optional.of(pack));
    }
}

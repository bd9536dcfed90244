package io.cloudmw.client.edit;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.PutCondition;
import java.util.Optional;

/**
 * A request to change part of a file.
 *
 * @param kind the kind of change
 * @param offset the position; ignored by an append
 * @param source closed by the transfer
 * @param condition the version that the path must name; empty: the version it names when the change begins
 * @param memoryBytes memory for reading the unchanged parts of chunks
 */
public record EditRequest(
        FilePath file,
        Edit.Kind kind,
        long offset,
        PutSource source,
        TransferListener listener,
        Optional<PutCondition> condition,
        long memoryBytes) {
    /**
     * Whether a conflict may be retried: an append means the end, wherever it is by then; other changes mean the file
     * they saw.
     */
    boolean mayBeRepeated() {
        return kind == Edit.Kind.APPEND && condition.isEmpty() && source.isRepeatable();
    }
}

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
     * Returns whether the edit may be retried after a conflict. An append may, because it writes at the end of any
     * version; other edits apply only to the version that they read.
     */
    boolean mayBeRepeated() {
        return kind == Edit.Kind.APPEND && condition.isEmpty() && source.isRepeatable();
    }
}

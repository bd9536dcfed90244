package io.cloudmw.client.edit;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.model.Edit;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.PutCondition;
import java.util.Optional;

/**
 * A request to change part of a file.
 *
 * @param kind what is done with what the source gives
 * @param offset where; of an append not looked at
 * @param source closed by the transfer
 * @param condition what the path must name; empty: whatever it names when the change begins
 * @param memoryBytes what reading the parts of chunks that stay may have in flight
 */
public record EditRequest(
        FilePath file,
        Edit.Kind kind,
        long offset,
        PutSource source,
        TransferListener listener,
        Optional<PutCondition> condition,
        long memoryBytes) {
    /** An append means whatever the end is by then; other changes mean the file they saw. */
    boolean mayBeRepeated() {
        return kind == Edit.Kind.APPEND && condition.isEmpty() && source.isRepeatable();
    }
}

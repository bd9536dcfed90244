package io.cloudmw.client.edit;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Edit;

/**
 * A request to change part of a file.
 *
 * @param kind the kind of change
 * @param offset the position; ignored by an append
 * @param source closed by the transfer
 * @param terms those of the commit
 * @param memoryBytes memory for reading the unchanged parts of chunks
 */
public record EditRequest(
        FilePath file,
        Edit.Kind kind,
        long offset,
        PutSource source,
        TransferListener listener,
        PutTerms terms,
        long memoryBytes) {
    /**
     * Returns whether the edit may be retried after a conflict. An append may, because it writes at the end of any
     * version; other edits apply only to the version that they read.
     */
    boolean mayBeRepeated() {
        return kind == Edit.Kind.APPEND && terms.condition().isEmpty() && source.isRepeatable();
    }
}

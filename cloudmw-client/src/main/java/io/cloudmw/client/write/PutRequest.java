package io.cloudmw.client.write;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.PutCondition;
import io.cloudmw.core.model.VersionId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A request to write one file.
 *
 * @param source closed by the put
 * @param condition what the path must name; empty: whatever it names when the put begins
 * @param journal where it is noted what is stored, of sources that can be read again; empty: nowhere
 * @param edit which part of the file changes, and how; empty: it is written whole
 * @param version what its version is called, which no other may be; empty: as no other is
 */
public record PutRequest(
        FilePath file,
        PutSource source,
        TransferListener listener,
        Optional<PutCondition> condition,
        Optional<Path> journal,
        Optional<PreparedEdit> edit,
        Optional<VersionId> version) {
    /** A file that is written whole. */
    public PutRequest(
            FilePath file,
            PutSource source,
            TransferListener listener,
            Optional<PutCondition> condition,
            Optional<Path> journal) {
        this(file, source, listener, condition, journal, Optional.empty(), Optional.empty());
    }

    /** The same, as an edit. */
    public PutRequest editing(PreparedEdit prepared) {
        return new PutRequest(file, source, listener, condition, journal, Optional.of(prepared), version);
    }

    /** The same, whose version is called this. */
    public PutRequest as(VersionId name) {
        return new PutRequest(file, source, listener, condition, journal, edit, Optional.of(name));
    }

    /** The chunks to be written, of so many. */
    ChangedChunks changed(long chunks) {
        return edit.map(PreparedEdit::changed).orElse(new ChangedChunks(0, chunks));
    }
}

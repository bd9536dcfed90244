package io.cloudmw.client.write;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A request to write one file.
 *
 * @param source closed by the put
 * @param terms those of the commit
 * @param journal records stored chunks, for sources that can be read again; empty: none
 * @param edit the part of the file that changes; empty: the whole file is written
 * @param version the new version's id, which must be unique; empty: a random one
 */
public record PutRequest(
        FilePath file,
        PutSource source,
        TransferListener listener,
        PutTerms terms,
        Optional<Path> journal,
        Optional<PreparedEdit> edit,
        Optional<VersionId> version) {
    /** A file that is written whole. */
    public PutRequest(
            FilePath file, PutSource source, TransferListener listener, PutTerms terms, Optional<Path> journal) {
        this(file, source, listener, terms, journal, Optional.empty(), Optional.empty());
    }

    /** The same request, as an edit. */
    public PutRequest editing(PreparedEdit prepared) {
        return new PutRequest(file, source, listener, terms, journal, Optional.of(prepared), version);
    }

    /** The same request, with this version id. */
    public PutRequest as(VersionId name) {
        return new PutRequest(file, source, listener, terms, journal, edit, Optional.of(name));
    }

    /** The chunks to be written, of so many. */
    ChangedChunks changed(long chunks) {
        return edit.map(PreparedEdit::changed).orElse(ChangedChunks.all(chunks));
    }
}

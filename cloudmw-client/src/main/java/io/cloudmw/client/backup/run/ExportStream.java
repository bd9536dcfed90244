package io.cloudmw.client.backup.run;

import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.ExportPiece;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A stream of the records of one part, which it requests piece by piece. It ends after the piece that fills the part,
 * and holds one piece at a time. Confined to one thread at a time.
 */
final class ExportStream extends InputStream {
    private final CoordinatorClient coordinator;
    private final VolumeName volume;
    private final OptionalLong after;
    private final long partBytes;
    private ExportPiece piece;
    private int read;
    private long bytes;
    private long files;

    /**
     * Asks for the first piece.
     *
     * @param partBytes the size after which the part is full
     */
    ExportStream(
            CoordinatorClient coordinator,
            VolumeName volume,
            OptionalLong after,
            Optional<ExportCursor> cursor,
            long partBytes)
            throws CloudMwException {
        this.coordinator = coordinator;
        this.volume = volume;
        this.after = after;
        this.partBytes = partBytes;
        this.piece = ask(cursor);
        add();
    }

    private ExportPiece ask(Optional<ExportCursor> cursor) throws CloudMwException {
        return Calls.await(coordinator.export(volume, after, cursor));
    }

    private void add() {
        bytes += piece.records().length;
        files += piece.files();
    }

    /** Returns whether everything is exported, and not only changes. Valid before the first read. */
    boolean isWhole() {
        return piece.whole();
    }

    /** Returns whether there is nothing to export. Valid before the first read. */
    boolean isEmpty() {
        return bytes == 0 && piece.next().isEmpty();
    }

    /** The cursor of the next part. Valid at the end. */
    Optional<ExportCursor> next() {
        return piece.next();
    }

    /** The id of the volume's cluster. */
    String cluster() {
        return piece.cluster();
    }

    long position() {
        return piece.position();
    }

    long files() {
        return files;
    }

    @Override
    public int read() throws IOException {
        return fill() ? piece.records()[read++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, piece.records().length - read);
        System.arraycopy(piece.records(), read, target, offset, count);
        read += count;
        return count;
    }

    private boolean fill() throws CloudMwException {
        while (read == piece.records().length) {
            if (piece.next().isEmpty() || bytes >= partBytes) {
                return false;
            }
            piece = ask(piece.next());
            read = 0;
            add();
        }
        return true;
    }
}

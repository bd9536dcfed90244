package io.cloudmw.client.backup;

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
 * The records of one part, asked for piece by piece as they are read; ends after the piece with which it has
 * enough bytes. Holds one piece. One thread at a time.
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
     * @param partBytes so many are enough
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

    /** Before anything was read: whether it is everything. */
    boolean isWhole() {
        return piece.whole();
    }

    /** Before anything was read: whether there is nothing at all. */
    boolean isEmpty() {
        return bytes == 0 && piece.next().isEmpty();
    }

    /** At the end: where the next part begins. */
    Optional<ExportCursor> next() {
        return piece.next();
    }

    /** Whose volume it is. */
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

package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.backup.ExportCursor;
import java.util.Optional;

/**
 * A piece of an export, as it is written to a backup.
 *
 * @param records encoded, one after the other; not copied
 * @param files the number of present files among them
 * @param next empty: this is the last piece
 * @param position the volume's position that the export shows
 * @param whole in the first piece: whether everything is exported
 * @param cluster the id of the volume's cluster
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record ExportPiece(
        byte[] records, long files, Optional<ExportCursor> next, long position, boolean whole, String cluster) {}

package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.backup.ExportCursor;
import java.util.Optional;

/**
 * A piece of an export, as it is written to a backup.
 *
 * @param records one after the other; taken as it is
 * @param files present in them
 * @param next empty: this is the last piece
 * @param position of the volume's changes
 * @param whole of the first piece: everything is exported
 * @param cluster whose volume it is
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record ExportPiece(
        byte[] records, long files, Optional<ExportCursor> next, long position, boolean whole, String cluster) {}

package io.cloudmw.core.backup;

import java.util.List;
import java.util.Optional;

/**
 * A piece of an export.
 *
 * @param records in the order in which they are applied
 * @param next empty: it is the last piece, and all pieces together are the volume at {@code position}
 * @param whole in the first piece: whether everything is exported, not only changes
 * @param cluster the id of the volume's cluster
 */
public record ExportPage(
        List<ExportRecord> records, Optional<ExportCursor> next, long position, boolean whole, String cluster) {
    public ExportPage {
        records = List.copyOf(records);
    }

    /** Returns how many records of present files it has. */
    public long files() {
        return records.stream().filter(ExportRecord.Present.class::isInstance).count();
    }
}

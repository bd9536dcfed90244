package io.cloudmw.core.backup;

import java.util.List;
import java.util.Optional;

/**
 * A piece of an export.
 *
 * @param records in the order in which they are to be applied
 * @param next empty: it is the last piece, and all of them together are the volume at {@code position}
 * @param whole of the first piece: everything is exported, and not what changed
 * @param cluster whose volume it is
 */
public record ExportPage(
        List<ExportRecord> records, Optional<ExportCursor> next, long position, boolean whole, String cluster) {
    public ExportPage {
        records = List.copyOf(records);
    }

    /** Records of files that are present. */
    public long files() {
        return records.stream().filter(ExportRecord.Present.class::isInstance).count();
    }
}

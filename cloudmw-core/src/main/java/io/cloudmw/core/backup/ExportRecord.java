package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/** One thing to be known of a volume. They are applied in order: later ones win. */
public sealed interface ExportRecord {
    /**
     * A segment of a manifest.
     *
     * @param encoded as the catalog keeps it: taken as it is, and not to be changed afterwards
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Segment(VersionId version, int index, byte[] encoded) implements ExportRecord {}

    /**
     * The path names this file, all of whose segments came before.
     *
     * @param version under the path it has
     */
    record Present(FileVersion version, long createdAtMillis, Attributes attributes) implements ExportRecord {}

    /** Nothing is at this path. */
    record Absent(String path) implements ExportRecord {}

    /** Nothing is at or below this path; {@code /}: the volume is empty. */
    record AbsentTree(String path) implements ExportRecord {}
}

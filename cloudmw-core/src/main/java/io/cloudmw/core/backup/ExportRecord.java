package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/** A fact about a volume. Records are applied in order: later ones win. */
public sealed interface ExportRecord {
    /**
     * A segment of a manifest.
     *
     * @param encoded as the catalog stores it; not copied, and not to be changed afterwards
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Segment(VersionId version, int index, byte[] encoded) implements ExportRecord {}

    /** The place of the bytes of a compacted pack; the segment of the pack that has them came before. */
    record Relocated(PackRelocation place) implements ExportRecord {}

    /**
     * The file at a path, all of whose segments came before.
     *
     * @param version under its present path
     */
    record Present(FileVersion version, long createdAtMillis, Attributes attributes) implements ExportRecord {}

    /** A directory at this path that stays when it is empty. */
    record Directory(String path, long createdAtMillis, Attributes attributes) implements ExportRecord {}

    /** The absence of a file, and of a directory that stays when it is empty, at this path. */
    record Absent(String path) implements ExportRecord {}

    /** The absence of anything at or below this path; {@code /}: the volume is empty. */
    record AbsentTree(String path) implements ExportRecord {}
}

package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/** A place that an export has still to read. */
public sealed interface ExportPlace {
    /** Returns {@code /} or {@code /a/b}. */
    String path();

    /** The content of a directory from a page on; {@code pageToken} is the catalog's. */
    record Directory(String path, String pageToken) implements ExportPlace {}

    /**
     * The file at a path.
     *
     * @param version the version whose segments before {@code segment} are exported already; empty: none is
     */
    record File(String path, Optional<VersionId> version, int segment) implements ExportPlace {
        public File(String path) {
            this(path, Optional.empty(), 0);
        }
    }
}

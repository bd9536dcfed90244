package io.cloudmw.core.backup;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/** What an export has still to look at. */
public sealed interface ExportPlace {
    /** {@code /} or {@code /a/b}. */
    String path();

    /** What is in a directory, from a page on; {@code pageToken} as the catalog gave it. */
    record Directory(String path, String pageToken) implements ExportPlace {}

    /**
     * What a path names.
     *
     * @param version the one whose segments before {@code segment} are exported already; empty: none is
     */
    record File(String path, Optional<VersionId> version, int segment) implements ExportPlace {
        public File(String path) {
            this(path, Optional.empty(), 0);
        }
    }
}

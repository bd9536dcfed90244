package io.cloudmw.core.catalog;

import io.cloudmw.core.model.FileVersion;
import java.util.Optional;

/**
 * An immediate child of a directory.
 *
 * @param name its last path segment
 * @param version the file's current version; empty: a directory, which exists while something is in it
 */
public record DirectoryEntry(String name, Optional<FileVersion> version) {
    public boolean isDirectory() {
        return version.isEmpty();
    }
}

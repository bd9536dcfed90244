package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import java.util.Optional;

/**
 * An entry of a directory: a file or a subdirectory.
 *
 * @param parent the number of its directory
 * @param file empty: a directory
 * @param directory its own number; 0: a file
 */
public record TreeEntry(long parent, String name, Optional<TreeFile> file, long directory) {
    public boolean isDirectory() {
        return file.isEmpty();
    }

    /** Returns the attributes of a file; a directory has none. */
    public Attributes attributes() {
        return file.map(TreeFile::attributes).orElse(Attributes.NONE);
    }

    /** Returns the current version of a file; empty for a directory. */
    public Optional<VersionId> version() {
        return file.map(TreeFile::version);
    }
}

package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import java.util.Optional;

/**
 * What a name in a directory stands for.
 *
 * @param parent the directory it is in
 * @param file empty: a directory
 * @param directory its own number; 0: a file
 */
public record TreeEntry(long parent, String name, Optional<TreeFile> file, long directory) {
    public boolean isDirectory() {
        return file.isEmpty();
    }

    /** None of a directory. */
    public Attributes attributes() {
        return file.map(TreeFile::attributes).orElse(Attributes.NONE);
    }

    /** Of a file, its current one. */
    public Optional<VersionId> version() {
        return file.map(TreeFile::version);
    }
}

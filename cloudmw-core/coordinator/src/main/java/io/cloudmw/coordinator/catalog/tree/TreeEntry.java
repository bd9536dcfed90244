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
 * @param kept the properties of a directory that stays when it is empty; empty: another directory, or a file
 */
public record TreeEntry(
        long parent, String name, Optional<TreeFile> file, long directory, Optional<KeptDirectory> kept) {
    /** Creates a file. */
    public static TreeEntry file(long parent, String name, TreeFile file) {
        return new TreeEntry(parent, name, Optional.of(file), 0, Optional.empty());
    }

    /** Creates a directory. */
    public static TreeEntry directory(long parent, String name, long number, Optional<KeptDirectory> kept) {
        return new TreeEntry(parent, name, Optional.empty(), number, kept);
    }

    /** Returns the entry under another name. */
    public TreeEntry at(long newParent, String newName) {
        return new TreeEntry(newParent, newName, file, directory, kept);
    }

    public boolean isDirectory() {
        return file.isEmpty();
    }

    /** Returns the attributes of the file or the directory. */
    public Attributes attributes() {
        return file.map(TreeFile::attributes)
                .or(() -> kept.map(KeptDirectory::attributes))
                .orElse(Attributes.NONE);
    }

    /** Returns when the file was created, or the directory was made to stay; 0: a directory that does not. */
    public long createdAtMillis() {
        return file.map(TreeFile::createdAtMillis)
                .or(() -> kept.map(KeptDirectory::createdAtMillis))
                .orElse(0L);
    }

    /** Returns the current version of a file; empty for a directory. */
    public Optional<VersionId> version() {
        return file.map(TreeFile::version);
    }
}

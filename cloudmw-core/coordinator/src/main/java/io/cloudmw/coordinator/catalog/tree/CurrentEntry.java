package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * A file or a directory at a path now.
 *
 * @param file empty: a directory
 * @param kept the properties of a directory that stays when it is empty; empty: another directory, or a file
 */
public record CurrentEntry(Optional<CurrentFile> file, Optional<KeptDirectory> kept) {
    /** Creates a file. */
    public static CurrentEntry file(CurrentFile file) {
        return new CurrentEntry(Optional.of(file), Optional.empty());
    }

    /** Creates a directory. */
    public static CurrentEntry directory(Optional<KeptDirectory> kept) {
        return new CurrentEntry(Optional.empty(), kept);
    }

    public boolean isDirectory() {
        return file.isEmpty();
    }

    /** Returns the current version of a file; empty for a directory. */
    public Optional<FileVersion> version() {
        return file.map(CurrentFile::version);
    }

    /** Returns when it was created; 0: a directory that does not stay when it is empty. */
    public long createdAtMillis() {
        return file.map(CurrentFile::createdAtMillis)
                .or(() -> kept.map(KeptDirectory::createdAtMillis))
                .orElse(0L);
    }

    public Attributes attributes() {
        return file.map(CurrentFile::attributes)
                .or(() -> kept.map(KeptDirectory::attributes))
                .orElse(Attributes.NONE);
    }
}

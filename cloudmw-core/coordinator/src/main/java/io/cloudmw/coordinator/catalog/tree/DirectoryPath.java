package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * The path of a directory in a volume.
 *
 * @param asEntry the path in the form of a file's path; empty: {@code /}
 */
public record DirectoryPath(VolumeName volume, Optional<FilePath> asEntry) {
    /**
     * Parses {@code /} or {@code /a/b}.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the path has another form
     */
    public static DirectoryPath of(VolumeName volume, String path) throws CloudMwException {
        if (path.equals("/")) {
            return new DirectoryPath(volume, Optional.empty());
        }
        try {
            return new DirectoryPath(volume, Optional.of(new FilePath(volume, path)));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "directory: " + e.getMessage(), e);
        }
    }

    /** Returns the path of the child with this name. */
    public FilePath child(String name) {
        return new FilePath(volume, asEntry.map(FilePath::path).orElse("") + "/" + name);
    }

    @Override
    public String toString() {
        return asEntry.map(FilePath::toString).orElse(volume + ":/");
    }
}

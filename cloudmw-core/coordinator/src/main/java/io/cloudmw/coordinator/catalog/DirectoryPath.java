package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * A directory of a volume.
 *
 * @param asEntry its path, of the same form as a file's; empty: {@code /}
 */
public record DirectoryPath(VolumeName volume, Optional<FilePath> asEntry) {
    /**
     * Reads {@code /} or {@code /a/b}.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is not of that form
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

    /** The path of what has this name in it. */
    public FilePath child(String name) {
        return new FilePath(volume, asEntry.map(FilePath::path).orElse("") + "/" + name);
    }

    @Override
    public String toString() {
        return asEntry.map(FilePath::toString).orElse(volume + ":/");
    }
}

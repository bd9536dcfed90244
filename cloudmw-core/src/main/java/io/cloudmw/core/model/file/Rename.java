package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;

/**
 * Another path for a file or a directory, in the same volume.
 *
 * @param replace whether a file may take the place of another
 */
public record Rename(FilePath from, FilePath to, boolean replace) {
    public Rename {
        if (!from.volume().equals(to.volume())) {
            throw new IllegalArgumentException(
                    "rename: " + from + " to " + to + " (expected: within one volume; copy it to another)");
        }
    }

    /** Whether the new path lies below the old one. */
    public boolean isIntoItself() {
        return to.path().startsWith(from.path() + "/");
    }
}

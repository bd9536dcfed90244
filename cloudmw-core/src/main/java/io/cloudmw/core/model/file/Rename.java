package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;

/**
 * A move of a file or a directory to another path in the same volume.
 *
 * @param replace whether a file may replace another
 */
public record Rename(FilePath from, FilePath to, boolean replace) {
    public Rename {
        if (!from.volume().equals(to.volume())) {
            throw new IllegalArgumentException(
                    "rename: " + from + " to " + to + " (expected: within one volume; copy it to another)");
        }
    }

    /** Returns whether the new path lies below the old one. */
    public boolean isIntoItself() {
        return to.path().startsWith(from.path() + "/");
    }
}

package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;

/**
 * A move of a file or a directory to another path in the same volume.
 *
 * @param replace whether it may replace a file, if it is a file, or an empty directory
 * @param keepDirectories whether the directory of {@code from} stays, even when it becomes empty
 */
public record Rename(FilePath from, FilePath to, boolean replace, boolean keepDirectories) {
    /** Creates a move that removes the directories which become empty, except those made to stay. */
    public Rename(FilePath from, FilePath to, boolean replace) {
        this(from, to, replace, false);
    }

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

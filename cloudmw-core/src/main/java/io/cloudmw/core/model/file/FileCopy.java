package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;

/**
 * A copy of a file to another path in the same volume, which shares the version.
 *
 * @param replace whether it may replace another file
 */
public record FileCopy(FilePath from, FilePath to, boolean replace) {
    public FileCopy {
        if (!from.volume().equals(to.volume())) {
            throw new IllegalArgumentException("copy: " + from + " to " + to + " (expected: within one volume)");
        }
    }
}

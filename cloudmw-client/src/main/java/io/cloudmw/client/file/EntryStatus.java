package io.cloudmw.client.file;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * The status of an entry: what a path names, with its times and attributes.
 *
 * @param version current version of a file, whose commit is the file's modification time; empty: a directory
 * @param createdAtMillis commit of a file's first version, or when a directory was made to stay, in milliseconds since
 *     1970; 0: a directory that does not stay when it is empty
 * @param attributes of the file or the directory
 * @param stays whether a directory stays when it is empty; other directories go with their last file
 */
public record EntryStatus(Optional<FileVersion> version, long createdAtMillis, Attributes attributes, boolean stays) {
    /** Returns whether the path names a directory. */
    public boolean isDirectory() {
        return version.isEmpty();
    }
}

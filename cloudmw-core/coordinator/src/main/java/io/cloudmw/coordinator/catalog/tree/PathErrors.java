package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Rename;

/** The errors about paths, directories and snapshots, with the same text in every catalog. */
public final class PathErrors {
    private PathErrors() {}

    public static CloudMwException fileNotFound(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "file " + file + " not found");
    }

    /** Returns the error for a path that names nothing. */
    public static CloudMwException pathNotFound(FilePath path) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "file or directory " + path + " not found");
    }

    /** Returns the error for a read or a removal of a directory. */
    public static CloudMwException directoryNotFile(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "file " + file + " not found: the path is a directory");
    }

    /** Returns the error for a listing of a file. */
    public static CloudMwException fileNotDirectory(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "directory " + file + " not found: the path is a file");
    }

    public static CloudMwException snapshotExists(VolumeName volume, String name) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, "snapshot " + volume + "@" + name + " exists already");
    }

    public static CloudMwException snapshotNotFound(VolumeName volume, String name) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "snapshot " + volume + "@" + name + " not found");
    }

    public static CloudMwException tooManySnapshots(VolumeName volume) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                "volume " + volume + " has " + SnapshotRecords.MAX_SNAPSHOTS
                        + " snapshots already, the most there may be: remove one first");
    }

    public static CloudMwException notInSnapshot(FilePath file, String snapshot) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "file " + file + " not found in snapshot " + snapshot);
    }

    static CloudMwException isDirectory(FilePath file) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + " is a directory");
    }

    static CloudMwException isFile(FilePath file) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + " is a file");
    }

    /** Returns the error for a directory that does not exist. */
    public static CloudMwException directoryNotFound(FilePath directory) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "directory " + directory + " not found");
    }

    static CloudMwException directoryNotEmpty(FilePath directory) {
        return new CloudMwException(ErrorCode.NOT_EMPTY, directory + " is a directory that is not empty");
    }

    static CloudMwException intoItself(Rename rename) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                rename.to() + " lies in " + rename.from() + ": a directory cannot move into itself");
    }

    static CloudMwException otherVolume(FilePath from, FilePath to) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT, to + ": cannot link to " + from + " (expected: a path in the same volume)");
    }

    static CloudMwException pathsTooLong(Rename rename, int bytes) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                rename.to() + ": paths in it would have up to " + bytes + " bytes (expected: <= " + FilePath.MAX_BYTES
                        + ")");
    }

    static CloudMwException tooDeep(FilePath path, long directories) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                path + " lies in " + directories + " directories (expected: <= " + Tree.MAX_DIRECTORIES + ")");
    }

    static CloudMwException movedWhileListed(DirectoryPath directory) {
        return new CloudMwException(
                ErrorCode.CONFLICT, directory + " was renamed or replaced while it was listed: list it again");
    }

    static CloudMwException belowFile(FilePath file, String ancestor) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + ": " + ancestor + " is a file");
    }
}

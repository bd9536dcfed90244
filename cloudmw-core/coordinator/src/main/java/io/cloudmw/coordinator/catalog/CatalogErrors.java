package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;

/** The refusals all catalogs word alike. */
public final class CatalogErrors {
    private CatalogErrors() {}

    public static CloudMwException volumeExists(VolumeName name) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, "volume " + name + " exists already");
    }

    public static CloudMwException volumeNotFound(VolumeName name) {
        return new CloudMwException(ErrorCode.VOLUME_NOT_FOUND, "no volume " + name);
    }

    /** The volume has another generation than a change expects. */
    public static CloudMwException volumeChanged(Volume now, long expected) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                "volume " + now.name() + " was changed meanwhile: it has generation " + now.generation()
                        + " (expected: " + expected + ")");
    }

    public static CloudMwException volumeNotEmpty(VolumeName name) {
        return new CloudMwException(
                ErrorCode.VOLUME_NOT_EMPTY, "volume " + name + " still has files (deleting it needs --force)");
    }

    public static CloudMwException storeNotFound(StoreId id) {
        return new CloudMwException(
                ErrorCode.NOT_FOUND, "no store " + id + " (a disk is known once its helper has registered)");
    }

    public static CloudMwException storeInUse(StoreId id, VolumeName volume) {
        return new CloudMwException(
                ErrorCode.STORE_IN_USE,
                "store " + id + " is used by volume " + volume + " (cloudmw volume set " + volume + " --remove-store "
                        + id + "; volume show says how many copies are left there)");
    }

    public static CloudMwException fileNotFound(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "no file " + file);
    }

    static CloudMwException pathNotFound(FilePath path) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "no file or directory " + path);
    }

    /** For who wants to read or remove it. */
    public static CloudMwException directoryNotFile(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "no file " + file + ": it is a directory");
    }

    /** For who wants to list it. */
    public static CloudMwException fileNotDirectory(FilePath file) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "no directory " + file + ": it is a file");
    }

    public static CloudMwException closed() {
        return new CloudMwException(ErrorCode.CANCELLED, "the catalog is closed");
    }

    public static CloudMwException snapshotExists(VolumeName volume, String name) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, "snapshot " + volume + "@" + name + " exists already");
    }

    public static CloudMwException snapshotNotFound(VolumeName volume, String name) {
        return new CloudMwException(ErrorCode.NOT_FOUND, "no snapshot " + volume + "@" + name);
    }

    public static CloudMwException tooManySnapshots(VolumeName volume) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                "snapshots of " + volume + ": more (expected: <= " + Snapshots.MAX_SNAPSHOTS + ")");
    }

    public static CloudMwException notInSnapshot(FilePath file, String snapshot) {
        return new CloudMwException(ErrorCode.NOT_FOUND, file + ": no file of this path in snapshot " + snapshot);
    }

    public static CloudMwException versionNotOpen(VersionId version) {
        return new CloudMwException(
                ErrorCode.CONFLICT, "version " + version + " is committed or was abandoned: its segments are fixed");
    }

    public static CloudMwException abandoned(FileVersion version) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                version.file() + ": version " + version.id() + " was abandoned for want of progress, or its commit was"
                        + " refused, or it is of another file");
    }

    public static CloudMwException changed(FilePath file, Optional<VersionId> expected, Optional<VersionId> found) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                file + " is " + VersionId.describe(found) + " (expected: " + VersionId.describe(expected)
                        + "): somebody else changed it");
    }

    static CloudMwException isDirectory(FilePath file) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + " is a directory");
    }

    static CloudMwException isFile(FilePath file) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + " is a file");
    }

    static CloudMwException directoryNotEmpty(FilePath directory) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, directory + " is a directory that is not empty");
    }

    static CloudMwException intoItself(Rename rename) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT, rename.to() + " lies in " + rename.from() + ", which is to be moved there");
    }

    static CloudMwException otherVolume(FilePath from, FilePath to) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT, to + ": cannot name what " + from + " does (expected: the same volume)");
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

    static CloudMwException callTooOld(CallId call, long ageMillis) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                "call " + call.id() + " was issued " + ageMillis + " ms ago by its caller's clock (expected: within "
                        + AppliedCalls.MAX_AGE.toMillis() + "): it comes too late, or that clock is wrong");
    }

    static CloudMwException movedWhileListed(DirectoryPath directory) {
        return new CloudMwException(
                ErrorCode.CONFLICT, directory + " was renamed or replaced while it was listed: list it anew");
    }

    static CloudMwException belowFile(FilePath file, String ancestor) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, file + ": " + ancestor + " is a file");
    }

    public static CloudMwException segmentsDiffer(FileVersion version, String found) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                version.file() + ": version " + version.id() + " has " + version.segmentCount()
                        + " segments with sha256 " + version.manifestSha256() + ", but put were " + found);
    }
}

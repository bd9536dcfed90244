package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;

/** The errors about volumes, stores, versions and calls, with the same text in every catalog. */
public final class CatalogErrors {
    private CatalogErrors() {}

    public static CloudMwException volumeExists(VolumeName name) {
        return new CloudMwException(ErrorCode.ALREADY_EXISTS, "volume " + name + " exists already");
    }

    public static CloudMwException volumeNotFound(VolumeName name) {
        return new CloudMwException(
                ErrorCode.VOLUME_NOT_FOUND, "volume " + name + " not found (cloudmw volume ls lists them)");
    }

    /** Returns the error for a volume whose generation differs from the expected one. */
    public static CloudMwException volumeChanged(Volume now, long expected) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                "volume " + now.name() + " was changed by another call: it has generation " + now.generation()
                        + " (expected: " + expected + ")");
    }

    public static CloudMwException volumeNotEmpty(VolumeName name) {
        return new CloudMwException(
                ErrorCode.VOLUME_NOT_EMPTY, "volume " + name + " still has files (deleting it needs --force)");
    }

    public static CloudMwException storeNotFound(StoreId id) {
        return new CloudMwException(
                ErrorCode.NOT_FOUND, "store " + id + " not found (a disk is known once its helper has registered)");
    }

    public static CloudMwException storeInUse(StoreId id, VolumeName volume) {
        return new CloudMwException(
                ErrorCode.STORE_IN_USE,
                "store " + id + " is used by volume " + volume + " (cloudmw volume set " + volume + " --remove-store "
                        + id + "; volume show says how many copies are left there)");
    }

    public static CloudMwException closed() {
        return new CloudMwException(ErrorCode.CANCELLED, "the catalog is closed");
    }

    public static CloudMwException versionNotOpen(VersionId version) {
        return new CloudMwException(
                ErrorCode.CONFLICT, "version " + version + " is committed or was abandoned: its segments are fixed");
    }

    public static CloudMwException packNotClosed(VersionId pack) {
        return new CloudMwException(
                ErrorCode.CONFLICT, "pack " + pack + " may still take files (expected: closed before it is replaced)");
    }

    public static CloudMwException abandoned(FileVersion version) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                version.file() + ": version " + version.id() + " was abandoned without progress, or its commit was"
                        + " refused, or it is of another file");
    }

    public static CloudMwException changed(FilePath file, Optional<VersionId> expected, Optional<VersionId> found) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                file + " is " + VersionId.describe(found) + " (expected: " + VersionId.describe(expected)
                        + "): another writer changed it; read it again and retry");
    }

    static CloudMwException callTooOld(CallId call, long ageMillis) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                "call " + call.id() + " was issued " + ageMillis + " ms ago by its caller's clock (expected: within "
                        + AppliedCalls.MAX_AGE.toMillis() + "): the call is too late, or the caller's clock is wrong");
    }

    public static CloudMwException segmentsDiffer(FileVersion version, String found) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                version.file() + ": version " + version.id() + " has " + version.segmentCount()
                        + " segments with sha256 " + version.manifestSha256() + ", but the stored segments are "
                        + found);
    }
}

package io.cloudmw.hadoop.volume;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.hadoop.volume.CloudMwFileStatus.Extent;
import io.cloudmw.hadoop.volume.CloudMwFileStatus.Owners;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Makes Hadoop's statuses of entries. Immutable.
 *
 * @param user the owner and the group of an entry whose owner and group were not set
 * @param blockSizeBytes the size of the blocks in which jobs divide a file
 */
public record StatusFactory(String user, long blockSizeBytes) {
    private static final FsPermission DIRECTORY = FsPermission.valueOf("d" + PosixAttributes.DIRECTORY_MODE);

    /** The status of an entry; the path must be qualified. */
    CloudMwFileStatus status(Path path, EntryStatus entry) {
        PosixAttributes posix = new PosixAttributes(entry);
        Optional<FileVersion> version = entry.version();
        return new CloudMwFileStatus(
                path,
                new Extent(version.map(FileVersion::sizeBytes).orElse(0L), blockSizeBytes),
                posix.modifiedAtMillis(),
                FsPermission.valueOf("-" + PosixFilePermissions.toString(posix.permissions())),
                new Owners(posix.owner().orElse(user), posix.group().orElse(user)),
                version.map(known -> known.id().toString()).orElse(null));
    }

    /** The status of a directory that has no entry in any volume; the path must be qualified. */
    CloudMwFileStatus directory(Path path, long modifiedAtMillis) {
        return new CloudMwFileStatus(path, new Extent(0, 0), modifiedAtMillis, DIRECTORY, new Owners(user, user), null);
    }
}

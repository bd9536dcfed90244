package io.cloudmw.hadoop.volume;

import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * A status with the version of the file as its etag. A rename keeps the etag; every change of the content makes a new
 * one. Directories have none.
 */
public final class CloudMwFileStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1;

    private final @Nullable String etag;

    /**
     * @param owners owner, and group after it
     * @param etag null: a directory
     */
    CloudMwFileStatus(
            Path path,
            Extent extent,
            long modifiedAtMillis,
            FsPermission permission,
            Owners owners,
            @Nullable String etag) {
        super(
                extent.sizeBytes(),
                etag == null,
                etag == null ? 0 : 1,
                etag == null ? 0 : extent.blockSizeBytes(),
                modifiedAtMillis,
                modifiedAtMillis,
                permission,
                owners.owner(),
                owners.group(),
                path);
        this.etag = etag;
    }

    /** The size of a file, and the size of the blocks in which jobs divide it. */
    record Extent(long sizeBytes, long blockSizeBytes) {}

    /** The names of the owner and the group. */
    record Owners(String owner, String group) {}

    @Override
    public @Nullable String getEtag() {
        return etag;
    }
}

package io.cloudmw.hadoop.volume;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.jspecify.annotations.Nullable;

/** A {@link CloudMwFileStatus} with the locations that Hadoop's listings want. */
public final class CloudMwLocatedStatus extends LocatedFileStatus implements EtagSource {
    private static final long serialVersionUID = 1;

    private final @Nullable String etag;

    /** @param locations null: a directory */
    public CloudMwLocatedStatus(CloudMwFileStatus status, BlockLocation @Nullable [] locations) {
        super(status, locations);
        this.etag = status.getEtag();
    }

    @Override
    public @Nullable String getEtag() {
        return etag;
    }
}

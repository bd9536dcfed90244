package io.cloudmw.client.tree;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;

/**
 * How directories are copied, or removed. Immutable.
 *
 * @param parallel files under way at once, 1..64
 * @param delete whether what the source has not is deleted, once everything was copied without a failure
 * @param dryRun whether to say only what would be done
 * @param checksum whether files of one size are compared by their digests instead of their times: each is read here
 * @param all whether to copy also what is there already
 * @param names how names of this machine are written in a volume
 * @param put of each file that is written; its listener hears nothing
 * @param get of each file that is read; its listener hears nothing
 */
public record TreeOptions(
        int parallel,
        boolean delete,
        boolean dryRun,
        boolean checksum,
        boolean all,
        NameStyle names,
        PutOptions put,
        GetOptions get,
        TreeListener listener) {
    private static final int MAX_PARALLEL = 64;

    public TreeOptions {
        if (parallel < 1 || parallel > MAX_PARALLEL) {
            throw new IllegalArgumentException("parallel: " + parallel + " (expected: 1.." + MAX_PARALLEL + ")");
        }
    }

    /** Options for names that are the same on both sides. */
    public TreeOptions(
            int parallel,
            boolean delete,
            boolean dryRun,
            boolean checksum,
            boolean all,
            PutOptions put,
            GetOptions get,
            TreeListener listener) {
        this(parallel, delete, dryRun, checksum, all, NameStyle.PLAIN, put, get, listener);
    }

    public TreeOptions withNames(NameStyle style) {
        return new TreeOptions(parallel, delete, dryRun, checksum, all, style, put, get, listener);
    }

    public TreeOptions withListener(TreeListener told) {
        return new TreeOptions(parallel, delete, dryRun, checksum, all, names, put, get, told);
    }
}

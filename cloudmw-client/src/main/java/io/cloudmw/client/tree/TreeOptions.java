package io.cloudmw.client.tree;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;

/**
 * Options for runs that copy or remove directories. Immutable.
 *
 * @param parallel files in flight at once, 1..64
 * @param delete whether to delete files that the source lacks, once everything was copied without a failure
 * @param dryRun whether to report only what would be done
 * @param checksum whether digests instead of times decide if files of one size differ; each local file is read
 * @param all whether to copy unchanged files too
 * @param names the mapping of local names to names in a volume
 * @param put options for each file that is written; its listener is not called
 * @param get options for each file that is read; its listener is not called
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

    /**
     * Options for the removal of a directory, which nobody watches.
     *
     * @param parallel removals under way at once, 1..64
     */
    public static TreeOptions ofRemoval(int parallel) {
        return new TreeOptions(
                parallel,
                false,
                false,
                false,
                false,
                PutOptions.defaults(),
                GetOptions.defaults(),
                new TreeListener() {});
    }

    /** Sets the style of names on this machine. */
    public TreeOptions withNames(NameStyle style) {
        return new TreeOptions(parallel, delete, dryRun, checksum, all, style, put, get, listener);
    }

    /** Sets the listener for the progress. */
    public TreeOptions withListener(TreeListener told) {
        return new TreeOptions(parallel, delete, dryRun, checksum, all, names, put, get, told);
    }
}

package io.cloudmw.core.identity;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The coordinator's answer to a helper that registers.
 *
 * @param epoch names the lease in heartbeats
 * @param lostDisks disks of the helper that were declared lost: the helper is registered without them
 */
public record HelperAdmission(long epoch, List<StoreId> lostDisks) {
    public HelperAdmission {
        lostDisks = List.copyOf(lostDisks);
    }

    /** The message about a disk that was declared lost, with the operator's way to use its place again. */
    public static String lostDisk(StoreId disk) {
        return "disk " + disk + " was declared lost, its helper does not use it (" + advice(disk) + ")";
    }

    /** The operator's way to use the place of a lost disk again. */
    public static String advice(StoreId disk) {
        return "start the helper with an empty directory under another id; or, to use the id " + disk
                + " again, run cloudmw store rm " + disk + " once no volume uses it, then start the helper again;"
                + " --replace-disk does not undo a loss";
    }
}

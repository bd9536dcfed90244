package io.cloudmw.core.model.fleet;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * A helper as it registered.
 *
 * @param incarnation its process: drawn by it at its start
 * @param disks those it named
 * @param epoch higher than that of any registration of this id before
 * @param left whether it has left since: its id is free, and only the epoch counts
 */
public record HelperRegistration(
        HelperAddress address, long incarnation, List<StoreId> disks, long epoch, boolean left) {
    public HelperRegistration {
        disks = List.copyOf(disks);
    }

    /** Of one that is there. */
    public HelperRegistration(HelperAddress address, long incarnation, List<StoreId> disks, long epoch) {
        this(address, incarnation, disks, epoch, false);
    }

    /** The same, once it has left. */
    public HelperRegistration leaving() {
        return new HelperRegistration(address, incarnation, disks, epoch, true);
    }
}

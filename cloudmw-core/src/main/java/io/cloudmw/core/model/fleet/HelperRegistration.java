package io.cloudmw.core.model.fleet;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The registration of a helper.
 *
 * @param incarnation the random number its process drew at its start
 * @param disks the disks it named
 * @param epoch higher than that of any earlier registration of this id
 * @param left whether it has left since: its id is free, and only the epoch counts
 */
public record HelperRegistration(
        HelperAddress address, long incarnation, List<StoreId> disks, long epoch, boolean left) {
    public HelperRegistration {
        disks = List.copyOf(disks);
    }

    /** The registration of a helper that has not left. */
    public HelperRegistration(HelperAddress address, long incarnation, List<StoreId> disks, long epoch) {
        this(address, incarnation, disks, epoch, false);
    }

    /** The same registration after the helper has left. */
    public HelperRegistration leaving() {
        return new HelperRegistration(address, incarnation, disks, epoch, true);
    }
}

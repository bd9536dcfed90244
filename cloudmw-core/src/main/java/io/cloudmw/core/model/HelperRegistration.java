package io.cloudmw.core.model;

import java.util.List;

/**
 * A helper as it registered.
 *
 * @param incarnation its process: drawn by it at its start
 * @param disks those it named
 * @param epoch higher than that of any registration of this id before
 */
public record HelperRegistration(HelperAddress address, long incarnation, List<StoreId> disks, long epoch) {
    public HelperRegistration {
        disks = List.copyOf(disks);
    }
}

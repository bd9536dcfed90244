package io.cloudmw.core.placement;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Store;
import java.util.Collection;

/**
 * The relation between helpers and the stores they can use. Pure: the same question has the same answer while a plan
 * is made.
 */
@FunctionalInterface
public interface StoreReachability {
    /** Every helper can use every store. */
    StoreReachability FULL = (helper, store) -> true;

    /** Returns whether a helper can use a store, as far as is known; a disk is reached through its owner. */
    boolean canUse(HelperId helper, Store store);

    /** The number of stores that a helper can use. */
    default int count(HelperId helper, Collection<Store> stores) {
        return (int) stores.stream().filter(store -> canUse(helper, store)).count();
    }
}

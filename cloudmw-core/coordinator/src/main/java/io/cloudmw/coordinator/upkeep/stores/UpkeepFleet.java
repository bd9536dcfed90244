package io.cloudmw.coordinator.upkeep.stores;

import io.cloudmw.coordinator.upkeep.task.CopyEligibility;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.upkeep.Task;
import java.util.List;

/** The stores and live helpers, as upkeep sees them. Safe for any thread. */
public interface UpkeepFleet {
    /**
     * Returns all stores, with the reasons why each takes no chunks.
     *
     * @throws CloudMwException when the catalog fails
     */
    List<StoreCandidate> stores() throws CloudMwException;

    /** Returns how many bytes chunks may still use in a store; {@code Long.MAX_VALUE}: no known limit. */
    long roomBytes(StoreCandidate store);

    /** Returns how many bytes a store must keep free besides; zero: not known. */
    long reserveBytes(StoreCandidate store);

    /** Returns whether a store can be reached. */
    boolean isAvailable(StoreCandidate store);

    /** Returns the live helpers. */
    List<HelperAddress> live();

    boolean isAlive(HelperId helper);

    /** Returns whether a helper that is not alive has left, so that it was not lost. */
    default boolean hasLeft(HelperId helper) {
        return false;
    }

    /**
     * Returns whether a store that stays away counts as lost in the end, so that its copies are made elsewhere. That is
     * so for a disk, and for a bucket that no longer exists. A bucket that denies access keeps its content.
     */
    default boolean canBeLost(StoreCandidate store) {
        return store.store().owner().isPresent();
    }

    /** Returns whether a helper can use a store, by its own reports; a disk is reached through its owner. */
    default boolean canUse(HelperId helper, Store store) {
        return true;
    }

    /** Returns whether a helper can do a task: use its store, and one of its sources. */
    default boolean canDo(HelperId helper, Task task) {
        return task instanceof Task.FromSources copy
                ? CopyEligibility.canMake(this::canUse, helper, copy.sources(), task.store())
                : canUse(helper, task.store());
    }

    /** Returns which copies the live helpers can make. */
    default CopyEligibility copyEligibility() {
        return new CopyEligibility(live().stream().map(HelperAddress::id).toList(), this::canUse);
    }
}

package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.upkeep.stores.UpkeepFleet;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import java.util.List;

/** The fleet as upkeep sees it, made of the registry and the store view. */
public record RegistryFleet(HelperRegistry helpers, StoreView view) implements UpkeepFleet {
    @Override
    public List<StoreCandidate> stores() throws CloudMwException {
        return view.known();
    }

    @Override
    public long roomBytes(StoreCandidate store) {
        return view.freeBytes(store.store()).orElse(Long.MAX_VALUE);
    }

    @Override
    public long reserveBytes(StoreCandidate store) {
        return view.reserveBytes(store.store());
    }

    /**
     * Returns whether a store can be reached. A bucket that is not the store's own cannot, since its content must not
     * lead to deletions.
     */
    @Override
    public boolean isAvailable(StoreCandidate store) {
        return view.isAvailable(store.store()) && view.isGenuine(store.store());
    }

    @Override
    public List<HelperAddress> live() {
        return helpers.live();
    }

    @Override
    public boolean canBeLost(StoreCandidate store) {
        return store.store().owner().isPresent() || view.isMissing(store.store());
    }

    @Override
    public boolean canUse(HelperId helper, Store store) {
        return view.canUse(helper, store);
    }

    @Override
    public boolean isAlive(HelperId helper) {
        return helpers.isAlive(helper);
    }

    @Override
    public boolean hasLeft(HelperId helper) {
        return helpers.hasLeft(helper);
    }
}

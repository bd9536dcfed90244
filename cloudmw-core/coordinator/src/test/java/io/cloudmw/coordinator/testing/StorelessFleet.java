package io.cloudmw.coordinator.testing;

import io.cloudmw.coordinator.upkeep.stores.UpkeepFleet;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.status.StoreCandidate;
import java.util.List;

/** A fleet without stores, in which every helper is alive, or none is. */
public final class StorelessFleet implements UpkeepFleet {
    private final boolean alive;

    public StorelessFleet(boolean alive) {
        this.alive = alive;
    }

    @Override
    public List<StoreCandidate> stores() {
        return List.of();
    }

    @Override
    public long reserveBytes(StoreCandidate store) {
        return 0;
    }

    @Override
    public long roomBytes(StoreCandidate store) {
        return 0;
    }

    @Override
    public boolean isAvailable(StoreCandidate store) {
        return false;
    }

    @Override
    public List<HelperAddress> live() {
        return List.of();
    }

    @Override
    public boolean isAlive(HelperId helper) {
        return alive;
    }
}

package io.cloudmw.coordinator.testing;

import io.cloudmw.coordinator.upkeep.stores.UpkeepFleet;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.Candidate;
import java.util.List;

/** A fleet without stores, in which every helper is alive, or none is. */
public final class StorelessFleet implements UpkeepFleet {
    private final boolean alive;

    public StorelessFleet(boolean alive) {
        this.alive = alive;
    }

    @Override
    public List<Candidate> stores() {
        return List.of();
    }

    @Override
    public long reserveBytes(Candidate store) {
        return 0;
    }

    @Override
    public long roomBytes(Candidate store) {
        return 0;
    }

    @Override
    public boolean isAvailable(Candidate store) {
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

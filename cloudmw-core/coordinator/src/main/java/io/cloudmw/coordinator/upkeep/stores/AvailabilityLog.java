package io.cloudmw.coordinator.upkeep.stores;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.status.StoreCondition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of helpers whose lease ends and of stores that become unavailable and are back, with the helper that serves
 * them. What is away at the first look is not logged: after a start, helpers have yet to come back. A look logs at most
 * {@value #MOST_LINES} lines of each kind. Confined to the ticking thread.
 */
public final class AvailabilityLog {
    static final int MOST_LINES = 20;

    private static final Logger LOG = LoggerFactory.getLogger(AvailabilityLog.class);

    private final UpkeepFleet fleet;
    private Set<HelperId> alive = Set.of();
    private Set<StoreId> available = Set.of();

    /** The stores that were logged as unavailable, with the time for which they were at the last look. */
    private final Map<StoreId, Duration> away = new HashMap<>();

    public AvailabilityLog(UpkeepFleet fleet) {
        this.fleet = fleet;
    }

    /** Logs what has changed since the last look. */
    public void look(Collection<StoreCondition> stores) {
        Set<HelperId> live =
                fleet.live().stream().map(HelperAddress::id).collect(Collectors.toCollection(TreeSet::new));
        helpers(live);
        stores(stores);
        alive = live;
        available = stores.stream()
                .filter(StoreCondition::available)
                .map(StoreCondition::id)
                .collect(Collectors.toSet());
        away.keySet().retainAll(stores.stream().map(StoreCondition::id).collect(Collectors.toSet()));
    }

    private void helpers(Set<HelperId> live) {
        int lines = 0;
        for (HelperId helper : alive) {
            if (!live.contains(helper) && fleet.hasLeft(helper)) {
                LOG.info("helper has left: helper={}", helper);
            } else if (!live.contains(helper) && ++lines <= MOST_LINES) {
                LOG.warn("helper is lost, its lease has ended: helper={}", helper);
            }
        }
        leftOut(lines, "helpers are lost");
    }

    private void stores(Collection<StoreCondition> stores) {
        int gone = 0;
        int back = 0;
        for (StoreCondition store : stores) {
            Duration logged = away.get(store.id());
            if (store.available() && logged != null) {
                away.remove(store.id());
                if (++back <= MOST_LINES) {
                    LOG.info("store is available again: store={} after={} s", store.id(), logged.toSeconds());
                }
            } else if (!store.available() && (logged != null || available.contains(store.id()))) {
                away.put(store.id(), store.away());
                if (logged == null && ++gone <= MOST_LINES) {
                    unavailable(store);
                }
            }
        }
        leftOut(gone, "stores are unavailable");
        leftOut(back, "stores are available again");
    }

    private static void unavailable(StoreCondition store) {
        Optional<HelperId> owner = store.candidate().store().owner();
        if (owner.isPresent()) {
            LOG.warn("store is unavailable: store={} of helper={}", store.id(), owner.get());
        } else {
            LOG.warn(
                    "store is unavailable: store={}: {}",
                    store.id(),
                    store.candidate().obstacle());
        }
    }

    private static void leftOut(int lines, String what) {
        if (lines > MOST_LINES) {
            LOG.warn("{} more {}", lines - MOST_LINES, what);
        }
    }
}

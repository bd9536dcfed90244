package io.cloudmw.coordinator.upkeep.stores;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.time.WallClock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The stores that are drained: they get no new chunks, and their copies are copied elsewhere. The catalog records them
 * for all coordinators. Safe for any thread; calls block.
 */
public final class DrainedStores {
    private static final String PREFIX = "drain/";

    private final Catalog catalog;
    private final WallClock clock;

    public DrainedStores(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** Returns all drained stores. */
    public Set<StoreId> all() throws CloudMwException {
        Set<StoreId> drained = new TreeSet<>();
        for (String key : catalog.notes().startingWith(PREFIX).keySet()) {
            drained.add(new StoreId(key.substring(PREFIX.length())));
        }
        return drained;
    }

    /**
     * Begins or ends draining stores; one order at a time.
     *
     * @return the affected stores
     * @throws CloudMwException {@code NOT_FOUND}; {@code NOT_ENOUGH_STORES} when a volume would have fewer usable
     *     stores than replicas, so that nothing is drained; {@code LEASE_LOST}
     */
    public synchronized List<StoreId> order(Lease lease, DrainOrder order) throws CloudMwException {
        List<StoreId> stores = stores(order);
        if (order.begins()) {
            requireEnough(stores);
        }
        for (StoreId store : stores) {
            catalog.notes().put(lease, PREFIX + store, order.begins() ? Long.toString(clock.millis()) : "");
        }
        return stores;
    }

    private List<StoreId> stores(DrainOrder order) throws CloudMwException {
        Set<StoreId> known = new LinkedHashSet<>();
        Set<StoreId> ordered = new LinkedHashSet<>(order.stores());
        for (Store store : catalog.stores()) {
            known.add(store.id());
            Optional<HelperId> owner = store.owner();
            if (owner.isPresent() && order.helper().equals(owner)) {
                ordered.add(store.id());
            }
        }
        for (StoreId store : ordered) {
            if (!known.contains(store)) {
                throw CatalogErrors.storeNotFound(store);
            }
        }
        if (ordered.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND,
                    order.helper()
                            .map(helper -> "helper " + helper + " has no disk")
                            .orElse("no store was named"));
        }
        return List.copyOf(ordered);
    }

    private void requireEnough(List<StoreId> stores) throws CloudMwException {
        Set<StoreId> drained = all();
        drained.addAll(stores);
        catalog.stores().stream().filter(Store::isLost).map(Store::id).forEach(drained::add);
        for (Volume volume : catalog.volumes()) {
            long left = volume.stores().stream()
                    .filter(store -> !drained.contains(store))
                    .count();
            boolean concerned = volume.stores().stream().anyMatch(stores::contains);
            if (concerned && left < volume.replicas()) {
                throw new CloudMwException(
                        ErrorCode.NOT_ENOUGH_STORES,
                        "volume " + volume.name() + ": " + left + (left == 1 ? " store" : " stores")
                                + " would be left that are not drained (expected: >= " + volume.replicas()
                                + ", one for each replica)");
            }
        }
    }
}

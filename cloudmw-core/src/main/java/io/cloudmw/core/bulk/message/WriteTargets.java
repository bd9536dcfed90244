package io.cloudmw.core.bulk.message;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The replicas of one chunk that a helper is to write. Immutable.
 *
 * @param stores the stores of the replicas
 * @param helpers the owners of the disks among the stores, and the carriers
 * @param carriers helpers that write the replicas in buckets, by bucket; the receiving helper writes a bucket without
 *     a carrier
 */
public record WriteTargets(List<Store> stores, List<HelperAddress> helpers, Map<StoreId, HelperId> carriers) {
    public WriteTargets {
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
        carriers = Map.copyOf(carriers);
    }

    /** Targets without carriers: the receiving helper writes to all buckets. */
    public WriteTargets(List<Store> stores, List<HelperAddress> helpers) {
        this(stores, helpers, Map.of());
    }

    /** The helper that writes the replica in a bucket; empty for a disk, or when the receiving helper writes it. */
    public Optional<HelperId> carrier(Store store) {
        return store.owner().isPresent() ? Optional.empty() : Optional.ofNullable(carriers.get(store.id()));
    }
}

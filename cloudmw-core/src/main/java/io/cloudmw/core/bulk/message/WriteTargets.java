package io.cloudmw.core.bulk.message;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The copies of one chunk that a helper is to write. Immutable.
 *
 * @param stores where the copies go
 * @param helpers the owners of the disks among the stores, and the carriers
 * @param carriers helpers that write the copies in buckets, by bucket; a bucket without one is written by the helper that
 *     receives the chunk
 */
public record WriteTargets(List<Store> stores, List<HelperAddress> helpers, Map<StoreId, HelperId> carriers) {
    public WriteTargets {
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
        carriers = Map.copyOf(carriers);
    }

    /** Copies that nobody carries for the helper that receives the chunk. */
    public WriteTargets(List<Store> stores, List<HelperAddress> helpers) {
        this(stores, helpers, Map.of());
    }

    /** The helper that writes the copy in a bucket; empty: it is a disk, or the receiving helper writes it. */
    public Optional<HelperId> carrier(Store store) {
        return store.owner().isPresent() ? Optional.empty() : Optional.ofNullable(carriers.get(store.id()));
    }
}

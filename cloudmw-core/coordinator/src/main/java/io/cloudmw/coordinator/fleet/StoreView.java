package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.upkeep.stores.DrainedStores;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The state of stores, from the catalog and the leases together. Safe for any thread. */
public final class StoreView {
    /** The least weight of a disk. A nearly full disk still gets a share, or new room on it would never be noticed. */
    private static final double MIN_WEIGHT = 0.05;

    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final DrainedStores drains;
    private final BucketWatch own;
    private final BucketIdentities identities;

    /**
     * Creates a view.
     *
     * @param own the coordinator's own findings about buckets
     * @param identities the buckets that are not their store's own; those take nothing
     */
    public StoreView(
            Catalog catalog,
            HelperRegistry helpers,
            DrainedStores drains,
            BucketWatch own,
            BucketIdentities identities) {
        this.identities = identities;
        this.catalog = catalog;
        this.helpers = helpers;
        this.drains = drains;
        this.own = own;
    }

    /** Returns all stores by id, with their complete state. */
    public List<StoreStatus> all() throws CloudMwException {
        Set<StoreId> drained = drains.all();
        return catalog.stores().stream()
                .map(store -> new StoreStatus(
                        store.shown(),
                        isAvailable(store),
                        drained.contains(store.id()),
                        isAvailable(store) ? freeBytes(store) : OptionalLong.empty(),
                        isAvailable(store) ? reserveBytes(store) : 0,
                        identities.mismatch(store.id()),
                        reach(store)))
                .toList();
    }

    /** Returns the state of a store that was just changed, as {@link #all} lists it. */
    public StoreStatus listed(Store store) {
        return new StoreStatus(
                store.shown(),
                isAvailable(store),
                false,
                OptionalLong.empty(),
                0,
                identities.mismatch(store.id()),
                reach(store));
    }

    /** Returns which processes can use a store. */
    public StoreReach reach(Store store) {
        if (store.owner().isPresent() || store.isLost()) {
            return StoreReach.FULL;
        }
        Map<String, StoreFault> shutOut = new TreeMap<>();
        own.fault(store.id()).ifPresent(fault -> shutOut.put("coordinator", fault));
        helpers.faults(store.id()).forEach((helper, fault) -> shutOut.put("helper " + helper, fault));
        return new StoreReach(fault(store), shutOut);
    }

    /**
     * Returns the fault that keeps every process out of a bucket; empty: some process can use it. Reads and writes go
     * through helpers, so the coordinator's own finding counts only when none is alive.
     */
    private Optional<StoreFault> fault(Store store) {
        List<HelperAddress> live = helpers.live();
        if (live.isEmpty()) {
            return own.fault(store.id());
        }
        Map<HelperId, StoreFault> faults = helpers.faults(store.id());
        return live.stream().allMatch(helper -> faults.containsKey(helper.id()))
                ? faults.values().stream()
                        .min(Comparator.comparing(StoreFault::kind).thenComparing(StoreFault::sinceMillis))
                : Optional.empty();
    }

    /** Lets this coordinator probe a bucket again, since another process found a fault. */
    public void doubt(StoreId store) {
        own.doubt(store);
    }

    /**
     * Returns the buckets that other processes found missing or denied while a helper reports no fault. The helper may
     * not have used them since.
     *
     * @param known the faults that the helper knows
     */
    public List<StoreId> doubtful(Set<StoreId> known) {
        Set<StoreId> doubtful = new TreeSet<>();
        own.faults().forEach((store, fault) -> {
            if (isOfStore(fault)) {
                doubtful.add(store);
            }
        });
        doubtful.addAll(helpers.faulty(StoreView::isOfStore));
        doubtful.removeAll(known);
        return List.copyOf(doubtful);
    }

    /** Returns whether a fault may be the store's own, so that other processes are likely to see it, too. */
    private static boolean isOfStore(StoreFault fault) {
        return fault.kind() == StoreFault.Kind.MISSING || fault.kind() == StoreFault.Kind.DENIED;
    }

    /** Returns the live helpers that can use a bucket, by their own reports. */
    private List<HelperAddress> able(Store store) {
        return helpers.live().stream()
                .filter(helper -> canUse(helper.id(), store))
                .toList();
    }

    /** Returns this view for a signer. */
    public UrlSigner.Fleet signing() {
        return new UrlSigner.Fleet() {
            @Override
            public List<HelperAddress> able(Store store) {
                return StoreView.this.able(store);
            }

            @Override
            public StoreReach reach(Store store) {
                return StoreView.this.reach(store);
            }
        };
    }

    /** Returns whether every process that checked says the bucket no longer exists. */
    boolean isMissing(Store store) {
        return fault(store)
                        .filter(fault -> fault.kind() == StoreFault.Kind.MISSING)
                        .isPresent()
                && helpers.faults(store.id()).values().stream()
                        .allMatch(fault -> fault.kind() == StoreFault.Kind.MISSING);
    }

    /** Returns whether a bucket is the store's own, as far as is known. */
    boolean isGenuine(Store store) {
        return identities.mismatch(store.id()).isEmpty();
    }

    /** Returns whether a helper can use a store, by its own reports; a disk is reached through its owner. */
    public boolean canUse(HelperId helper, Store store) {
        return store.owner().isPresent() || helpers.canUse(helper, store.id());
    }

    /** Returns the stores that may hold copies of the volume and can be read, in its order; lost ones are left out. */
    public List<Store> readable(Volume volume) throws CloudMwException {
        Map<StoreId, Store> byId = byId();
        return volume.storesInUse().stream()
                .flatMap(id -> Optional.ofNullable(byId.get(id)).stream())
                .filter(store -> !store.isLost())
                .toList();
    }

    private Map<StoreId, Store> byId() throws CloudMwException {
        Map<StoreId, Store> byId = new HashMap<>();
        for (Store store : catalog.stores()) {
            byId.put(store.id(), store);
        }
        return byId;
    }

    /** Returns the stores for the volume's new chunks, in its order. */
    public List<Store> of(Volume volume) throws CloudMwException {
        Map<StoreId, Store> byId = byId();
        List<Store> stores = new ArrayList<>();
        for (StoreId id : volume.stores()) {
            Store store = byId.get(id);
            if (store == null) {
                throw CatalogErrors.storeNotFound(id);
            }
            stores.add(store);
        }
        return stores;
    }

    /** Returns which of these stores take new chunks: neither drained nor lost. */
    public List<Store> filling(List<Store> stores) throws CloudMwException {
        Set<StoreId> drained = drains.all();
        return stores.stream()
                .filter(store -> !drained.contains(store.id()) && !store.isLost())
                .toList();
    }

    /** Returns a store's state for plans, without credentials. */
    public StoreStatus status(Store store) {
        return new StoreStatus(store.withoutCredentials(), isAvailable(store));
    }

    /**
     * Returns whether a store is available: a disk while its owner is alive and has it, a bucket while some process can
     * use it. A lost store is not.
     */
    public boolean isAvailable(Store store) {
        if (store.isLost()) {
            return false;
        }
        Optional<HelperId> owner = store.owner();
        return owner.isEmpty() ? fault(store).isEmpty() : helpers.isAttached(owner.get(), store.id());
    }

    /**
     * Returns the stores as candidates for a chunk of {@code chunkBytes}. A disk's weight is its free space relative to
     * the emptiest one.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} just after a start, while an owner may register again:
     *     placing without its disk would cost needless copies
     */
    public List<StoreCandidate> candidates(List<Store> stores, long chunkBytes) throws CloudMwException {
        awaitOwners(stores, 0);
        return weighed(stores, chunkBytes);
    }

    /** Returns all stores as {@link #candidates} for a chunk of any size, whichever owners may register again. */
    List<StoreCandidate> known() throws CloudMwException {
        return weighed(catalog.stores(), 0);
    }

    private List<StoreCandidate> weighed(List<Store> stores, long chunkBytes) {
        long mostFree = 1;
        for (Store store : stores) {
            mostFree = Math.max(mostFree, freeBytes(store).orElse(0));
        }
        List<StoreCandidate> candidates = new ArrayList<>();
        for (Store store : stores) {
            OptionalLong free = freeBytes(store);
            double share = free.isEmpty() ? 1 : (double) free.getAsLong() / mostFree;
            candidates.add(new StoreCandidate(store, obstacle(store, chunkBytes), Math.max(MIN_WEIGHT, share)));
        }
        return candidates;
    }

    /** Returns the stores as candidates for a volume, regardless of room; absent and drained ones cannot be chosen. */
    public List<StoreCandidate> reachable(List<Store> stores) throws CloudMwException {
        Set<StoreId> drained = drains.all();
        return stores.stream()
                .map(store ->
                        new StoreCandidate(store, drained.contains(store.id()) ? "draining" : unreachable(store), 1))
                .toList();
    }

    /** Returns why a store cannot be used, regardless of room; empty when it can. */
    private String unreachable(Store store) {
        String absence = absence(store);
        return absence.isEmpty()
                ? identities
                        .mismatch(store.id())
                        .map(why -> mismatch(store, why))
                        .orElse("")
                : absence;
    }

    /** Returns why a store cannot be reached; empty when it can. */
    private String absence(Store store) {
        if (isAvailable(store)) {
            return "";
        }
        if (store.isLost()) {
            return "declared lost";
        }
        if (store.owner().isEmpty()) {
            return fault(store).map(StoreView::said).orElse("");
        }
        HelperId owner = store.owner().orElseThrow();
        return helpers.isAlive(owner) ? "helper " + owner + " does not have it" : "helper " + owner + " is away";
    }

    /** Returns why a bucket is not the store's own, without the store's name, which lists add themselves. */
    private static String mismatch(Store store, String why) {
        String name = "store " + store.id() + ": ";
        return "mismatch: " + (why.startsWith(name) ? why.substring(name.length()) : why);
    }

    private static String said(StoreFault fault) {
        return fault.kind().word()
                + (fault.kind() == StoreFault.Kind.UNREACHABLE
                        ? " since " + Instant.ofEpochMilli(fault.sinceMillis())
                        : "")
                + ": " + fault.reason();
    }

    /** Returns why a store cannot take a chunk; empty when it can. */
    private String obstacle(Store store, long chunkBytes) {
        String unreachable = unreachable(store);
        if (!unreachable.isEmpty()) {
            return unreachable;
        }
        OptionalLong free = freeBytes(store);
        if (free.isEmpty() || free.getAsLong() >= Math.max(1, chunkBytes)) {
            return "";
        }
        String needs = chunkBytes == 0 ? "full: " : "needs " + Sizes.approximate(chunkBytes) + ", ";
        return needs + Sizes.approximate(free.getAsLong()) + " free besides the reserve of "
                + Sizes.approximate(reserveBytes(store));
    }

    /**
     * Refuses while owners of the stores may still return after a restart of the coordinator.
     *
     * @param spare how many of the stores may lack their owner
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE}: the caller retries
     */
    public void awaitOwners(List<Store> stores, int spare) throws CloudMwException {
        List<HelperId> awaited = stores.stream()
                .filter(store -> !store.isLost())
                .flatMap(store -> store.owner().stream())
                .filter(helpers::mayReturn)
                .toList();
        if (!awaited.isEmpty() && awaited.size() > spare) {
            throw justStarted("helper " + awaited.get(0));
        }
    }

    /**
     * Refuses while no helper has returned after a restart of the coordinator.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE}: the caller retries
     */
    public void awaitAnyHelper() throws CloudMwException {
        if (helpers.isStarting() && helpers.live().isEmpty()) {
            throw justStarted("helpers");
        }
    }

    private static CloudMwException justStarted(String who) {
        return new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE,
                "the coordinator has just started: waiting for " + who + " to register again");
    }

    /** Returns a store's free bytes in its owner's last report; empty when unknown. */
    OptionalLong freeBytes(Store store) {
        Optional<HelperId> owner = store.owner();
        return owner.isEmpty() ? OptionalLong.empty() : helpers.freeBytes(owner.get(), store.id());
    }

    /** Returns the bytes that a disk must keep free, in its owner's last report; zero: not known. */
    long reserveBytes(Store store) {
        return store.owner()
                .flatMap(owner -> helpers.usage(owner, store.id()))
                .map(DiskUsage::reserveBytes)
                .orElse(0L);
    }
}

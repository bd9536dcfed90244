package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.upkeep.Drains;
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
import io.cloudmw.core.placement.Candidate;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.signing.ReadSigner;
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

/** What the catalog and the leases together say about stores. */
public final class StoreView {
    /** A disk that is nearly full still gets a share, or it would never be noticed to have room again. */
    private static final double MIN_WEIGHT = 0.05;

    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final Drains drains;
    private final BucketWatch own;
    private final BucketIdentities identities;

    /**
     * A view.
     *
     * @param own what this coordinator found out about buckets by itself
     * @param identities which buckets are not those that their stores had: they take nothing
     */
    public StoreView(
            Catalog catalog, HelperRegistry helpers, Drains drains, BucketWatch own, BucketIdentities identities) {
        this.identities = identities;
        this.catalog = catalog;
        this.helpers = helpers;
        this.drains = drains;
        this.own = own;
    }

    /** All stores by id, with all that is known of them. */
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

    /** A store as {@link #all} lists it, just after it was changed. */
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

    /** The processes that can use a store. */
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
     * The fault that keeps everybody out of a bucket; empty: a process can use it. Reads and writes go through
     * helpers: as long as
     * some are alive, this coordinator's own finding does not count.
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

    /** Has this coordinator ask a bucket again: somebody found something wrong with it. */
    public void doubt(StoreId store) {
        own.doubt(store);
    }

    /**
     * Buckets that others found missing or denied, while a helper has nothing against them. The helper may not have asked them
     * since.
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

    /** Returns whether a fault may be the store's itself: other processes are likely to meet it too. */
    private static boolean isOfStore(StoreFault fault) {
        return fault.kind() == StoreFault.Kind.MISSING || fault.kind() == StoreFault.Kind.DENIED;
    }

    /** Helpers that are alive and, as far as they have said, can use a bucket. */
    private List<HelperAddress> able(Store store) {
        return helpers.live().stream()
                .filter(helper -> canUse(helper.id(), store))
                .toList();
    }

    /** This view, as a signer asks it. */
    public ReadSigner.Fleet signing() {
        return new ReadSigner.Fleet() {
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

    /** Returns whether everybody who looked says that there is no such bucket any more. */
    boolean isMissing(Store store) {
        return fault(store)
                        .filter(fault -> fault.kind() == StoreFault.Kind.MISSING)
                        .isPresent()
                && helpers.faults(store.id()).values().stream()
                        .allMatch(fault -> fault.kind() == StoreFault.Kind.MISSING);
    }

    /** Returns whether a bucket is the one its store had, as far as is known. */
    boolean isGenuine(Store store) {
        return identities.mismatch(store.id()).isEmpty();
    }

    /** Returns whether a helper can use a store, as far as it has said: a disk is reached through its owner. */
    public boolean canUse(HelperId helper, Store store) {
        return store.owner().isPresent() || helpers.canUse(helper, store.id());
    }

    /** The stores that may hold copies of the volume and can be read, in its order: not those that were declared lost. */
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

    /** The stores that the volume's new chunks go to, in its order. */
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

    /** Those of these stores that new chunks may be placed in: not those that are drained or lost. */
    public List<Store> filling(List<Store> stores) throws CloudMwException {
        Set<StoreId> drained = drains.all();
        return stores.stream()
                .filter(store -> !drained.contains(store.id()) && !store.isLost())
                .toList();
    }

    /** A store as plans name it: clients are told nothing of credentials. */
    public StoreStatus status(Store store) {
        return new StoreStatus(store.withoutCredentials(), isAvailable(store));
    }

    /**
     * A disk is while its owner is alive and has it, a bucket while somebody can use it; a store that was declared lost is not.
     */
    public boolean isAvailable(Store store) {
        if (store.isLost()) {
            return false;
        }
        Optional<HelperId> owner = store.owner();
        return owner.isEmpty() ? fault(store).isEmpty() : helpers.isAttached(owner.get(), store.id());
    }

    /**
     * The stores as candidates for a chunk of {@code chunkBytes}: disks weigh by their free space relative to the
     * emptiest one.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when the coordinator has just started and one of the
     *     owners may be about to register again: to place chunks without its disk would cost copies for nothing
     */
    public List<Candidate> candidates(List<Store> stores, long chunkBytes) throws CloudMwException {
        awaitOwners(stores, 0);
        return weighed(stores, chunkBytes);
    }

    /** All stores, as {@link #candidates} for whatever chunk, whoever may be about to register again. */
    List<Candidate> known() throws CloudMwException {
        return weighed(catalog.stores(), 0);
    }

    private List<Candidate> weighed(List<Store> stores, long chunkBytes) {
        long mostFree = 1;
        for (Store store : stores) {
            mostFree = Math.max(mostFree, freeBytes(store).orElse(0));
        }
        List<Candidate> candidates = new ArrayList<>();
        for (Store store : stores) {
            OptionalLong free = freeBytes(store);
            double share = free.isEmpty() ? 1 : (double) free.getAsLong() / mostFree;
            candidates.add(new Candidate(store, obstacle(store, chunkBytes), Math.max(MIN_WEIGHT, share)));
        }
        return candidates;
    }

    /** The stores as candidates for a volume, whatever room they have: not those that are away, or drained. */
    public List<Candidate> reachable(List<Store> stores) throws CloudMwException {
        Set<StoreId> drained = drains.all();
        return stores.stream()
                .map(store -> new Candidate(store, drained.contains(store.id()) ? "draining" : unreachable(store), 1))
                .toList();
    }

    /** Why a store cannot be used, whatever room it has; empty when it can. */
    private String unreachable(Store store) {
        String absence = absence(store);
        return absence.isEmpty()
                ? identities
                        .mismatch(store.id())
                        .map(why -> mismatch(store, why))
                        .orElse("")
                : absence;
    }

    /** Why a store cannot be reached; empty when it can. */
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

    /** The reason why a bucket is not the store's, without the store's name: lists name the store themselves. */
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

    /** Why a store cannot take a chunk; empty when it can. */
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
     * Refuses while owners of the stores may just not have come back yet after a restart of the coordinator.
     *
     * @param spare so many of the stores may do without theirs
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE}: the caller is to ask again
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
     * Refuses while no helper has come back yet after a restart of the coordinator.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE}: the caller is to ask again
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

    /** As its owner last said; empty where nobody knows. */
    OptionalLong freeBytes(Store store) {
        Optional<HelperId> owner = store.owner();
        return owner.isEmpty() ? OptionalLong.empty() : helpers.freeBytes(owner.get(), store.id());
    }

    /** The bytes that a disk must keep free, as its owner last said; zero: not known. */
    long reserveBytes(Store store) {
        return store.owner()
                .flatMap(owner -> helpers.usage(owner, store.id()))
                .map(DiskUsage::reserveBytes)
                .orElse(0L);
    }
}

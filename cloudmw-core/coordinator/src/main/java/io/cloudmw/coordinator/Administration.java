package io.cloudmw.coordinator;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.admission.DiskAdmission;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.StoreLocationRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.HeartbeatReport;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.LeaseAuthority;
import io.cloudmw.coordinator.fleet.RegisteredHelper;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.upkeep.reshape.VolumeChangePlanner;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.placement.PlacementPolicy;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The administration of volumes, stores and helpers. Safe for any thread; calls block on the catalog. */
public final class Administration {
    /** The most volumes, and the most stores, of a cluster, since a list of them is one message. */
    static final int MAX_VOLUMES = 10_000;

    static final int MAX_STORES = 10_000;

    /** The most disks of one helper. */
    static final int MAX_DISKS = 64;

    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final LeaseAuthority leases;
    private final StoreView stores;
    private final BucketAccess buckets;
    private final BucketIdentities identities;
    private final WallClock clock;

    Administration(
            Catalog catalog,
            HelperRegistry helpers,
            StoreView stores,
            BucketAccess buckets,
            BucketIdentities identities,
            WallClock clock) {
        this.catalog = catalog;
        this.helpers = helpers;
        this.leases = new LeaseAuthority(helpers, catalog.fleet());
        this.stores = stores;
        this.buckets = buckets;
        this.identities = identities;
        this.clock = clock;
    }

    /**
     * Creates a volume. A volume without stores uses all stores known now.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return the volume as it is kept
     * @throws CloudMwException {@code NOT_ENOUGH_STORES} when fewer than k of its stores are available and not drained;
     *     {@code COORDINATOR_UNAVAILABLE} right after a start, while enough stores may return; {@code ALREADY_EXISTS};
     *     {@code NOT_FOUND} for an unknown store
     */
    public Volume createVolume(Volume wanted, Optional<CallId> call) throws CloudMwException {
        List<StoreId> ids = wanted.stores().isEmpty()
                ? catalog.stores().stream()
                        .filter(store -> !store.isLost())
                        .map(Store::id)
                        .toList()
                : wanted.stores();
        Volume volume = new Volume(
                wanted.name(),
                wanted.chunking(),
                wanted.replicas(),
                ids,
                wanted.writeQuorum(),
                wanted.mode(),
                wanted.rotateReplicas(),
                clock.millis(),
                wanted.target(),
                wanted.peers());
        if (catalog.volume(wanted.name()).isEmpty()) {
            requireRoom("volumes", catalog.volumes().size(), MAX_VOLUMES);
            List<Store> used = stores.of(volume);
            stores.awaitOwners(used, used.size() - volume.replicas());
            PlacementPolicy.requireEnough(stores.reachable(used), volume.replicas());
        }
        // An existing volume goes to the catalog, too, which knows whether an earlier attempt of this call took effect.
        return catalog.createVolume(volume, ChangeRequest.of(call, clock));
    }

    /**
     * Changes how a volume keeps its files; upkeep moves the existing copies accordingly.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return the volume as it is kept
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when the volume has another generation than
     *     the change expects; {@code NOT_FOUND} for an unknown store; {@code NOT_ENOUGH_STORES};
     *     {@code INVALID_ARGUMENT}
     */
    public Volume changeVolume(VolumeChange change, Optional<CallId> call) throws CloudMwException {
        if (change.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + change.volume() + ": the change is empty (expected: at least one new value)");
        }
        VolumeChangePlanner reshaper = new VolumeChangePlanner(stores.all());
        return catalog.changeVolume(
                change.volume(), before -> reshaper.reshape(before, change), ChangeRequest.of(call, clock));
    }

    /**
     * Returns a volume.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}
     */
    public Volume volume(VolumeName name) throws CloudMwException {
        return catalog.volume(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
    }

    public List<Volume> volumes() throws CloudMwException {
        return catalog.volumes();
    }

    /**
     * Deletes a volume; its chunks become garbage.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @param force deletes the volume even when it still has files
     */
    public void deleteVolume(VolumeName name, boolean force, Optional<CallId> call) throws CloudMwException {
        catalog.deleteVolume(name, force, ChangeRequest.of(call, clock));
    }

    /**
     * Adds an S3 bucket as a store. Adding the same store again succeeds.
     *
     * @param create creates the bucket if it does not exist
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code INVALID_ARGUMENT} for a disk; {@code ALREADY_EXISTS} when the id is taken, or
     *     another store is at this location
     */
    public StoreStatus addStore(Store store, boolean create, Optional<CallId> call) throws CloudMwException {
        return addStore(store, create, false, StoreProof.NONE, call);
    }

    /**
     * Adds a bucket after a proof that it can be used; then the bucket gets its marker.
     *
     * @param takesOver whether the bucket may be taken from the store or cluster whose marker it has
     * @throws CloudMwException {@code STORE_MISMATCH} when the bucket has such a marker and must not be taken; the
     *     errors of {@code proof}, after which nothing is added and the bucket keeps its marker
     */
    public StoreStatus addStore(Store store, boolean create, boolean takesOver, StoreProof proof, Optional<CallId> call)
            throws CloudMwException {
        if (!(store.kind() instanceof Store.S3)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + store.id() + ": a disk cannot be added; start a helper with it instead");
        }
        List<Store> known = catalog.stores();
        Store identified = store;
        if (isFree(store, known)) {
            requireRoom("stores", known.size(), MAX_STORES);
            if (create) {
                buckets.create(store);
            }
            Map<String, ProbeReport> unused = proof.of(store);
            identified = identities.claimed(store, takesOver);
        }
        // An existing or refused store goes to the catalog, too, which knows whether an earlier attempt of this call
        // took effect.
        Store added = catalog.addStore(identified, ChangeRequest.of(call, clock));
        return stores.listed(added);
    }

    /**
     * Accepts the present bucket in place of the store's former one: all copies that are not in it are lost, and repair
     * makes them again.
     *
     * @param takesOver whether the bucket may be taken from the store or cluster that its marker names
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException as {@link BucketIdentities#replaced}
     */
    public StoreStatus replaceStore(StoreId id, boolean takesOver, Optional<CallId> call) throws CloudMwException {
        return stores.listed(identities.replaced(id, takesOver, call));
    }

    /** Returns whether the store is unknown and its location is free. */
    private static boolean isFree(Store store, List<Store> known) {
        try {
            StoreLocationRules.requireFree(store, known);
            return known.stream().noneMatch(store::isDefinedAs);
        } catch (CloudMwException e) {
            // The catalog reports the error, unless the call has taken effect.
            return false;
        }
    }

    public List<StoreStatus> stores() throws CloudMwException {
        return stores.all();
    }

    /**
     * Removes a store that no volume uses.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code NOT_FOUND}; {@code STORE_IN_USE}
     */
    public void removeStore(StoreId id, Optional<CallId> call) throws CloudMwException {
        try {
            Store unused = catalog.removeStore(id, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            throw e.code() == ErrorCode.STORE_IN_USE ? leaving(id, e) : e;
        }
    }

    /** Returns the refusal; for a store that is already leaving its volumes, with what may hold it. */
    private CloudMwException leaving(StoreId id, CloudMwException inUse) throws CloudMwException {
        List<Volume> volumes = catalog.volumes();
        Optional<Volume> left =
                volumes.stream().filter(volume -> volume.leaving().contains(id)).findFirst();
        if (left.isEmpty()
                || volumes.stream().anyMatch(volume -> volume.stores().contains(id))) {
            return inUse;
        }
        boolean lost = find(id).filter(Store::isLost).isPresent();
        VolumeName name = left.get().name();
        return new CloudMwException(
                ErrorCode.STORE_IN_USE,
                "store " + id + " is leaving volume " + name + ": upkeep lets it go when no file names a copy there"
                        + (lost ? "" : ", no upload under way may have placed one, and none is garbage")
                        + " (cloudmw volume show " + name + " says how many are left; try again later)",
                inUse);
    }

    /**
     * Declares a store lost for good. It is no longer read or written, it leaves every volume, and upkeep makes its
     * copies elsewhere at once. This cannot be undone. A repeated call succeeds.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code NOT_FOUND}
     */
    public StoreStatus loseStore(StoreId id, Optional<CallId> call) throws CloudMwException {
        if (find(id).isEmpty()) {
            throw CatalogErrors.storeNotFound(id);
        }
        // The volumes come first, so that none uses the store when it is lost; upkeep does the same for volumes created
        // meanwhile.
        for (Volume volume : catalog.volumes()) {
            if (volume.stores().contains(id)) {
                Volume unused = catalog.changeVolume(
                        volume.name(), before -> before.without(id), ChangeRequest.once(clock.millis()));
            }
        }
        long now = clock.millis();
        Store lost = catalog.changeStore(id, store -> store.lost(now), ChangeRequest.of(call, clock));
        return stores.status(lost);
    }

    /**
     * Registers a helper with its disks, except those that were declared lost.
     *
     * @param incarnation identifies the helper's process, which draws it at its start
     * @return the epoch that its heartbeats must name, and the disks that are left out
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a disk is not its own; {@code ALREADY_EXISTS} when a
     *     disk's id is that of a bucket or of another live helper's disk, when another live process has the helper's
     *     id, or when all its disks were declared lost; {@code STORE_MISMATCH} as {@link DiskAdmission#admit};
     *     {@code COORDINATOR_UNAVAILABLE} while that process may have died, so that the helper retries
     */
    public HelperAdmission registerHelper(HelperAddress helper, long incarnation, List<DiskClaim> disks)
            throws CloudMwException {
        leases.requireFree(helper.id(), incarnation);
        if (disks.size() > MAX_DISKS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "disks: " + disks.size() + " (expected: <= " + MAX_DISKS + ")");
        }
        List<StoreId> lost = new ArrayList<>();
        List<Store> admitted = new ArrayList<>();
        for (DiskClaim claim : disks) {
            Store disk = claim.disk();
            requireOwn(disk, helper.id());
            Optional<Store> known = find(disk.id());
            requireFree(disk, helper.id(), known);
            if (known.filter(Store::isLost).isPresent()) {
                lost.add(disk.id());
            } else {
                admitted.add(new DiskAdmission(catalog.clusterId(), clock.millis()).admit(known, claim));
            }
        }
        requireOneLeft(disks, lost);
        List<StoreId> attached = new ArrayList<>();
        for (Store disk : admitted) {
            (takeIn(disk) ? attached : lost).add(disk.id());
        }
        requireOneLeft(disks, lost);
        return new HelperAdmission(leases.register(helper, incarnation, attached), lost);
    }

    private static void requireOwn(Store disk, HelperId helper) throws CloudMwException {
        if (!disk.owner().equals(Optional.of(helper))) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "store " + disk.id() + " is not a disk of helper " + helper);
        }
    }

    private static void requireOneLeft(List<DiskClaim> disks, List<StoreId> lost) throws CloudMwException {
        if (!disks.isEmpty() && lost.size() == disks.size()) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "all disks of the helper were declared lost: "
                            + lost.stream().map(HelperAdmission::lostDisk).collect(Collectors.joining("; ")));
        }
    }

    /** Records a disk in the catalog; returns false when it was declared lost meanwhile. */
    private boolean takeIn(Store disk) throws CloudMwException {
        Optional<Store> known = find(disk.id());
        if (known.isEmpty()) {
            requireRoom("stores", catalog.stores().size(), MAX_STORES);
            catalog.putStore(disk);
            return true;
        }
        if (known.get().equals(disk)) {
            return true;
        }
        Store kept = catalog.changeStore(
                disk.id(), before -> before.isLost() ? before : disk, ChangeRequest.once(clock.millis()));
        return !kept.isLost();
    }

    /** Returns the cluster's id, which helpers write on their disks. */
    public String clusterId() throws CloudMwException {
        return catalog.clusterId();
    }

    private void requireFree(Store disk, HelperId owner, Optional<Store> known) throws CloudMwException {
        if (known.isEmpty()) {
            return;
        }
        Optional<HelperId> before = known.get().owner();
        if (before.isEmpty()) {
            throw new CloudMwException(ErrorCode.ALREADY_EXISTS, "store " + disk.id() + " exists already, as a bucket");
        }
        boolean attached = !known.get().isLost() && helpers.isAttached(before.get(), disk.id());
        if (attached && !before.get().equals(owner)) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "store " + disk.id() + " is attached to helper " + before.get()
                            + " (give this disk another name: --disk NAME=DIRECTORY)");
        }
    }

    /**
     * Renews a helper's lease.
     *
     * @return whether the helper came from another coordinator, so that this one lacks its earlier reports
     * @throws CloudMwException {@code HELPER_UNKNOWN}: the helper must register again
     */
    public boolean heartbeat(HelperId helper, long epoch, HeartbeatReport news) throws CloudMwException {
        for (StoreId store : news.faults().keySet()) {
            if (!helpers.faults(store).containsKey(helper)) {
                stores.doubt(store);
            }
        }
        return leases.heartbeat(helper, epoch, news);
    }

    /**
     * Returns the buckets that a helper must probe again: other processes found them missing or denied, and the helper
     * did not.
     *
     * @param news the helper's last report
     */
    public List<StoreId> doubtful(HeartbeatReport news) {
        return stores.doubtful(news.faults().keySet());
    }

    /** Renews the lease of a helper that can use all buckets. */
    public boolean heartbeat(HelperId helper, long epoch, List<DiskUsage> disks) throws CloudMwException {
        return heartbeat(helper, epoch, HeartbeatReport.of(disks));
    }

    /** Records which buckets a newly registered helper cannot use. */
    public void unusable(HelperId helper, Map<StoreId, StoreFault> faults) {
        helpers.told(helper, faults);
    }

    /**
     * Changes where the credentials of a bucket are found.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when the store is a disk
     */
    public StoreStatus setCredentials(StoreId id, CredentialsReference reference, Optional<CallId> call)
            throws CloudMwException {
        return setCredentials(id, reference, StoreProof.NONE, call);
    }

    /**
     * Changes the credentials of a bucket after a proof that they work.
     *
     * @throws CloudMwException the errors of {@code proof}, after which the credentials stay as they were
     */
    public StoreStatus setCredentials(
            StoreId id, CredentialsReference reference, StoreProof proof, Optional<CallId> call)
            throws CloudMwException {
        Optional<Store> known = find(id).filter(store -> store.kind() instanceof Store.S3);
        if (known.isPresent()) {
            Map<String, ProbeReport> unused = proof.of(known.get().with(reference));
        }
        return stores.listed(catalog.setCredentials(id, reference, ChangeRequest.of(call, clock)));
    }

    /**
     * Changes the encryption of the objects that a bucket is given from now on, after a proof that it works. Objects
     * that are there stay as they are.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when the store is a disk; the errors of
     *     {@code proof}, after which the encryption stays as it was
     */
    public StoreStatus setEncryption(StoreId id, BucketEncryption encryption, StoreProof proof, Optional<CallId> call)
            throws CloudMwException {
        Optional<Store> known = find(id).filter(store -> store.kind() instanceof Store.S3);
        if (known.isPresent()) {
            Map<String, ProbeReport> unused = proof.of(known.get().with(encryption));
        }
        return stores.listed(catalog.changeStore(
                id, store -> StoreLocationRules.withEncryption(store, encryption), ChangeRequest.of(call, clock)));
    }

    /** Returns all buckets, with the references to their credentials. */
    public List<Store> buckets() throws CloudMwException {
        return catalog.stores().stream()
                .filter(store -> store.owner().isEmpty())
                .toList();
    }

    /** A proof that a store can be used, before it is added or gets other credentials. */
    @FunctionalInterface
    public interface StoreProof {
        /** A proof without any check. */
        StoreProof NONE = unproven -> Map.of();

        /**
         * Checks the store.
         *
         * @return the findings, by process
         * @throws CloudMwException when the store cannot be used: the fault, the process that saw it, and the remedy
         */
        Map<String, ProbeReport> of(Store store) throws CloudMwException;
    }

    /**
     * Ends a helper's lease at once, since it is about to stop; its id is free for another process.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when the helper has no lease
     */
    public void leave(HelperId helper, long epoch) throws CloudMwException {
        leases.leave(helper, epoch);
    }

    public List<RegisteredHelper> helpers() {
        return helpers.all();
    }

    private Optional<Store> find(StoreId id) throws CloudMwException {
        return catalog.stores().stream().filter(store -> store.id().equals(id)).findFirst();
    }

    private static void requireRoom(String what, int count, int max) throws CloudMwException {
        if (count >= max) {
            throw new CloudMwException(ErrorCode.OVERLOADED, what + ": " + count + " (expected: < " + max + ")");
        }
    }
}

package io.cloudmw.coordinator;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.admission.DiskAdmission;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.StorePlaces;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.HelperNews;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.HelperStatus;
import io.cloudmw.coordinator.fleet.Registrations;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.reshape.Reshaper;
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
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.placement.PlacementPolicy;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Volumes, stores and helpers. */
public final class Administration {
    /** Volumes and stores of a cluster: lists of them travel in one message. */
    static final int MAX_VOLUMES = 10_000;

    static final int MAX_STORES = 10_000;

    /** Disks one helper may attach. */
    static final int MAX_DISKS = 64;

    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final Registrations registrations;
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
        this.registrations = new Registrations(helpers, catalog.fleet());
        this.stores = stores;
        this.buckets = buckets;
        this.identities = identities;
        this.clock = clock;
    }

    /**
     * Creates a volume. One that names no stores uses all that are known now.
     *
     * @param call takes effect once; empty: it is tried once
     * @return the volume as it is kept
     * @throws CloudMwException {@code NOT_ENOUGH_STORES} when fewer than k of its stores are available now, and not drained;
     *     {@code COORDINATOR_UNAVAILABLE} right after a start, while so many may be about to be available again;
     *     {@code ALREADY_EXISTS}; {@code NOT_FOUND} for a store nobody knows
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
        // Also what is there already: whether a try of this call has taken effect the catalog knows.
        return catalog.createVolume(volume, ChangeRequest.of(call, clock));
    }

    /**
     * Changes how a volume keeps its files; what that requires of the copies there are, upkeep does.
     *
     * @param call takes effect once; empty: it is tried once
     * @return the volume as it is kept
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when the volume has another generation than the change
     *     expects; {@code NOT_FOUND} for a store nobody knows; {@code NOT_ENOUGH_STORES}; {@code INVALID_ARGUMENT}
     */
    public Volume changeVolume(VolumeChange change, Optional<CallId> call) throws CloudMwException {
        if (change.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "volume " + change.volume() + ": nothing is to be changed");
        }
        Reshaper reshaper = new Reshaper(stores.all());
        return catalog.changeVolume(
                change.volume(), before -> reshaper.reshape(before, change), ChangeRequest.of(call, clock));
    }

    /**
     * Finds a volume.
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
     * @param call takes effect once; empty: it is tried once
     * @param force also when it still has files
     */
    public void deleteVolume(VolumeName name, boolean force, Optional<CallId> call) throws CloudMwException {
        catalog.deleteVolume(name, force, ChangeRequest.of(call, clock));
    }

    /**
     * Makes an S3 bucket known. The same again is a success.
     *
     * @param create make the bucket first if it does not exist
     * @param call takes effect once; empty: it is tried once
     * @throws CloudMwException {@code INVALID_ARGUMENT} for a disk; {@code ALREADY_EXISTS} when the id is taken, or another
     *     store is at this place
     */
    public StoreStatus addStore(Store store, boolean create, Optional<CallId> call) throws CloudMwException {
        return addStore(store, create, false, Proof.NONE, call);
    }

    /**
     * The same once the store has shown that it can be used; then its bucket gets its marker.
     *
     * @param takesOver whether the bucket is taken from another store or cluster whose marker it has
     * @throws CloudMwException {@code STORE_MISMATCH} when it has one, and is not taken; what {@code proof} throws too: then
     *     nothing is made known, and the bucket keeps the marker that it has
     */
    public StoreStatus addStore(Store store, boolean create, boolean takesOver, Proof proof, Optional<CallId> call)
            throws CloudMwException {
        if (!(store.kind() instanceof Store.S3)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + store.id() + ": disks are made known by the helper they are attached to");
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
        // Also what is there already, or cannot be: whether a try of this call has taken effect the catalog knows.
        Store added = catalog.addStore(identified, ChangeRequest.of(call, clock));
        return stores.listed(added);
    }

    /**
     * Takes the bucket that is there in the place of the one that a store had: all copies that are not in it are lost, and made anew.
     *
     * @param takesOver whether the bucket is taken from the other store or cluster that its marker names
     * @param call takes effect once; empty: it is tried once
     * @throws CloudMwException as {@link BucketIdentities#replaced}
     */
    public StoreStatus replaceStore(StoreId id, boolean takesOver, Optional<CallId> call) throws CloudMwException {
        return stores.listed(identities.replaced(id, takesOver, call));
    }

    /** Whether nothing is known of it, and nothing is in its way. */
    private static boolean isFree(Store store, List<Store> known) {
        try {
            StorePlaces.requireFree(store, known);
            return known.stream().noneMatch(store::isDefinedAs);
        } catch (CloudMwException e) {
            // The catalog says so, unless the call has taken effect.
            return false;
        }
    }

    public List<StoreStatus> stores() throws CloudMwException {
        return stores.all();
    }

    /**
     * Forgets a store no volume uses.
     *
     * @param call takes effect once; empty: it is tried once
     * @throws CloudMwException {@code NOT_FOUND}; {@code STORE_IN_USE}
     */
    public void removeStore(StoreId id, Optional<CallId> call) throws CloudMwException {
        try {
            Store unused = catalog.removeStore(id, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            throw e.code() == ErrorCode.STORE_IN_USE ? leaving(id, e) : e;
        }
    }

    /** The same refusal; where the store already leaves its volumes, it says what may hold it. */
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
     * Declares a store gone for good: nothing is read from it or written to it any more, it leaves every volume, and upkeep makes
     * its copies anew elsewhere at once. There is no way back. The same again is a success.
     *
     * @param call takes effect once; empty: it is tried once
     * @throws CloudMwException {@code NOT_FOUND}
     */
    public StoreStatus loseStore(StoreId id, Optional<CallId> call) throws CloudMwException {
        if (find(id).isEmpty()) {
            throw CatalogErrors.storeNotFound(id);
        }
        // First the volumes, so that none counts on it when it is lost; upkeep does the same for those made meanwhile.
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
     * Takes in a helper with its disks, except those that were declared lost.
     *
     * @param incarnation its process: drawn by it at its start
     * @return the epoch its heartbeats must name, and the disks that are left out
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a disk is not its own; {@code ALREADY_EXISTS} when a disk's
     *     id is a bucket's, or is attached to another helper that is alive, or the helper's own id to another process that is,
     *     or when all its disks were declared lost; {@code STORE_MISMATCH} as {@link DiskAdmission#admit};
     *     {@code COORDINATOR_UNAVAILABLE} while that process may have died: ask again
     */
    public HelperAdmission registerHelper(HelperAddress helper, long incarnation, List<DiskClaim> disks)
            throws CloudMwException {
        registrations.requireFree(helper.id(), incarnation);
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
        return new HelperAdmission(registrations.register(helper, incarnation, attached), lost);
    }

    private static void requireOwn(Store disk, HelperId helper) throws CloudMwException {
        if (!disk.owner().equals(Optional.of(helper))) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "store " + disk.id() + " is no disk of helper " + helper);
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

    /** Has the catalog keep the disk; false when it was declared lost meanwhile. */
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

    /** Names the cluster, for the disks of its helpers. */
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
                    ErrorCode.ALREADY_EXISTS, "store " + disk.id() + " is attached to helper " + before.get());
        }
    }

    /**
     * Renews a helper's lease.
     *
     * @return whether the helper came from another coordinator, and this one knows nothing of what it told there
     * @throws CloudMwException {@code HELPER_UNKNOWN}: it must register again
     */
    public boolean heartbeat(HelperId helper, long epoch, HelperNews news) throws CloudMwException {
        for (StoreId store : news.faults().keySet()) {
            if (!helpers.faults(store).containsKey(helper)) {
                stores.doubt(store);
            }
        }
        return registrations.heartbeat(helper, epoch, news);
    }

    /**
     * Buckets that a helper is to ask again: others found them missing or denied, and the helper did not.
     *
     * @param news the helper's last ones
     */
    public List<StoreId> doubtful(HelperNews news) {
        return stores.doubtful(news.faults().keySet());
    }

    /** The same for a helper that can use all buckets. */
    public boolean heartbeat(HelperId helper, long epoch, List<DiskUsage> disks) throws CloudMwException {
        return heartbeat(helper, epoch, HelperNews.of(disks));
    }

    /** Takes in which buckets a helper that has just registered cannot use. */
    public void unusable(HelperId helper, Map<StoreId, StoreFault> faults) {
        helpers.told(helper, faults);
    }

    /**
     * Has the credentials of a bucket found elsewhere.
     *
     * @param call takes effect once; empty: it is tried once
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when it is a disk
     */
    public StoreStatus setCredentials(StoreId id, CredentialsReference reference, Optional<CallId> call)
            throws CloudMwException {
        return setCredentials(id, reference, Proof.NONE, call);
    }

    /**
     * The same once the store has shown that it can be used with them.
     *
     * @throws CloudMwException what {@code proof} throws too: then the credentials are found where they were
     */
    public StoreStatus setCredentials(StoreId id, CredentialsReference reference, Proof proof, Optional<CallId> call)
            throws CloudMwException {
        Optional<Store> known = find(id).filter(store -> store.kind() instanceof Store.S3);
        if (known.isPresent()) {
            Map<String, ProbeReport> unused = proof.of(known.get().with(reference));
        }
        return stores.listed(catalog.setCredentials(id, reference, ChangeRequest.of(call, clock)));
    }

    /** The buckets there are, with the references to their credentials. */
    public List<Store> buckets() throws CloudMwException {
        return catalog.stores().stream()
                .filter(store -> store.owner().isEmpty())
                .toList();
    }

    /** Proves that a store can be used before it is made known, or used with other credentials. */
    @FunctionalInterface
    public interface Proof {
        /** Asks nobody. */
        Proof NONE = unproven -> Map.of();

        /**
         * Tries the store.
         *
         * @return the findings of the processes that were asked, by process
         * @throws CloudMwException when it cannot be used: what is wrong, seen from where, and what to do
         */
        Map<String, ProbeReport> of(Store store) throws CloudMwException;
    }

    /**
     * Ends a helper's lease at once: it is about to stop, and its id is free for another process.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when it has none
     */
    public void leave(HelperId helper, long epoch) throws CloudMwException {
        registrations.leave(helper, epoch);
    }

    public List<HelperStatus> helpers() {
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

package io.cloudmw.coordinator.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketAdmission;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.time.WallClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identities of buckets: keeps the catalog and the markers in the buckets in agreement. It gives a new bucket its
 * marker, checks all markers periodically, and reports buckets that are not the store's own. A bucket and a store that
 * both lack an identity, from a release without identities, get one once. Safe for any thread; calls block on catalog
 * and buckets.
 */
public final class BucketIdentities {
    private static final Logger LOG = LoggerFactory.getLogger(BucketIdentities.class);
    private static final int TRIES = 3;

    private final Catalog catalog;
    private final Optional<BucketMarkers> markers;
    private final WallClock clock;

    @GuardedBy("this")
    private Map<StoreId, String> mismatches = Map.of();

    /** @param markers empty: this process reaches no bucket, and trusts all of them */
    public BucketIdentities(Catalog catalog, Optional<BucketMarkers> markers, WallClock clock) {
        this.catalog = catalog;
        this.markers = markers;
        this.clock = clock;
    }

    /**
     * Writes the marker of a bucket that is about to be added. If the bucket cannot be reached or written, it gets the
     * marker later.
     *
     * @param takesOver whether the bucket may be taken from the other store or cluster that has it
     * @return the store with its identity
     * @throws CloudMwException {@code STORE_MISMATCH} when another store or cluster has it
     */
    public Store claimed(Store store, boolean takesOver) throws CloudMwException {
        if (markers.isEmpty()) {
            return store;
        }
        try {
            return marked(store, markers.get(), found -> takesOver || isForgotten(found));
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.STORE_UNAVAILABLE && e.code() != ErrorCode.STORE_DENIED) {
                throw e;
            }
            LOG.warn("store {} has no marker yet ({}); retrying later", store.id(), hint(store, e));
            return store;
        }
    }

    private static String hint(Store store, CloudMwException failure) {
        return failure.code() == ErrorCode.STORE_DENIED
                ? "the coordinator needs s3:GetObject and s3:PutObject for " + BucketMarker.NAME + " in "
                        + store.kind().place() + ": " + failure.getMessage()
                : String.valueOf(failure.getMessage());
    }

    /** A decision about whether a bucket with another store's marker may be taken. */
    @FunctionalInterface
    private interface TakeoverRule {
        boolean permits(Optional<BucketMarker> found) throws CloudMwException;
    }

    private Store marked(Store store, BucketMarkers buckets, TakeoverRule taking) throws CloudMwException {
        for (int tries = 0; tries < TRIES; tries++) {
            Optional<BucketMarker> found = buckets.read(store);
            StoreIdentity identity = admitted(store, found, taking);
            BucketMarker marker = new BucketMarker(store.id(), identity);
            boolean isThere = found.filter(there -> there.identity().equals(identity.replacedAt(0)))
                    .isPresent();
            if (isThere || buckets.write(store, marker, found.isPresent())) {
                return store.with(identity);
            }
        }
        throw new CloudMwException(
                ErrorCode.CONFLICT,
                "store " + store.id() + ": another process writes the marker " + BucketMarker.NAME
                        + " at the same time; retry");
    }

    private StoreIdentity admitted(Store store, Optional<BucketMarker> found, TakeoverRule taking)
            throws CloudMwException {
        try {
            return new BucketAdmission(catalog.clusterId()).admit(store, found);
        } catch (CloudMwException e) {
            if (!store.identity().isKnown() && taking.permits(found)) {
                return StoreIdentity.random(catalog.clusterId());
            }
            throw e;
        }
    }

    /**
     * Returns whether the marker is of a store that this cluster has removed ({@code store rm}), so that no store loses
     * the bucket.
     */
    private boolean isForgotten(Optional<BucketMarker> found) throws CloudMwException {
        if (found.isEmpty() || !found.get().identity().cluster().equals(catalog.clusterId())) {
            return false;
        }
        return catalog.stores().stream()
                .noneMatch(store -> store.id().equals(found.get().store()));
    }

    /**
     * Accepts the present bucket in place of the store's former one: all copies that are not in it are lost, and repair
     * makes them again.
     *
     * @param takesOver whether the bucket may be taken from the other store or cluster that its marker names
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when the store is a disk;
     *     {@code STORE_MISMATCH} when the bucket is another store's or cluster's, and not taken; the errors of reading
     *     or writing the marker
     */
    public Store replaced(StoreId id, boolean takesOver, Optional<CallId> call) throws CloudMwException {
        Store store = catalog.stores().stream()
                .filter(known -> known.id().equals(id))
                .findFirst()
                .orElseThrow(() -> CatalogErrors.storeNotFound(id));
        if (store.isLost()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + id + " was declared lost for good (expected: store rm " + id + ", then store add)");
        }
        if (markers.isEmpty() || store.owner().isPresent()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + id + ": not a bucket that this coordinator reaches (a disk is replaced by its helper's"
                            + " --replace-disk " + id + ")");
        }
        if (!takesOver) {
            requireNobodys(store, markers.get());
        }
        StoreIdentity identity = StoreIdentity.random(catalog.clusterId()).replacedAt(clock.millis());
        boolean unused = markers.get().write(store, new BucketMarker(id, identity), true);
        Store replaced = catalog.changeStore(id, before -> before.with(identity), ChangeRequest.of(call, clock));
        if (!replaced.identity().equals(identity)) {
            // An earlier attempt of this call took effect: the marker must match what that attempt recorded in the
            // catalog.
            unused = markers.get().write(replaced, new BucketMarker(id, replaced.identity()), true);
        }
        forget(id);
        return replaced;
    }

    /**
     * Refuses a bucket that another store of this cluster, or another cluster, uses. A bucket of a removed store is
     * free.
     */
    private void requireNobodys(Store store, BucketMarkers buckets) throws CloudMwException {
        Optional<BucketMarker> found;
        try {
            found = buckets.read(store);
        } catch (CloudMwException e) {
            throw e.code() == ErrorCode.STORE_MISMATCH ? foreign(store, String.valueOf(e.getMessage())) : e;
        }
        if (found.isEmpty() || isForgotten(found)) {
            return;
        }
        String cluster = found.get().identity().cluster();
        boolean ofThis = cluster.equals(catalog.clusterId())
                || cluster.equals(store.identity().cluster());
        if (!ofThis || !found.get().store().equals(store.id())) {
            throw foreign(store, "store " + found.get().store() + " of cluster " + cluster);
        }
    }

    private static CloudMwException foreign(Store store, String found) {
        return new CloudMwException(
                ErrorCode.STORE_MISMATCH,
                "store " + store.id() + ": " + store.kind().place() + " has " + found
                        + " (expected: a bucket that no other store uses). cloudmw store replace " + store.id()
                        + " --force takes it from the other store, which then loses it.");
    }

    private synchronized void forget(StoreId id) {
        Map<StoreId, String> left = new HashMap<>(mismatches);
        left.remove(id);
        mismatches = Map.copyOf(left);
    }

    /** Checks the marker of every bucket; called periodically. An unreachable bucket keeps its last result. */
    public void look() throws CloudMwException {
        if (markers.isEmpty()) {
            return;
        }
        Map<StoreId, String> found = new HashMap<>();
        List<Store> stores = catalog.stores();
        for (Store store : stores) {
            if (store.owner().isEmpty() && !store.isLost()) {
                look(store, found);
            }
        }
        synchronized (this) {
            mismatches = Map.copyOf(found);
        }
    }

    private void look(Store store, Map<StoreId, String> found) {
        try {
            Store marked = marked(store, markers.orElseThrow(), marker -> false);
            if (!marked.equals(store)) {
                // The change never adds a store, which may have been removed meanwhile.
                Store unused = catalog.changeStore(
                        store.id(),
                        before -> before.identity().equals(store.identity()) && !before.isLost()
                                ? before.with(marked.identity())
                                : before,
                        ChangeRequest.once(clock.millis()));
                LOG.info("store {}: its bucket has a marker now", store.id());
            }
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.STORE_MISMATCH) {
                String reason = String.valueOf(e.getMessage());
                found.put(store.id(), reason);
                if (mismatch(store.id()).isEmpty()) {
                    LOG.warn("{}", reason);
                }
            } else {
                mismatch(store.id()).ifPresent(reason -> found.put(store.id(), reason));
                LOG.debug("store {}: its marker cannot be read: {}", store.id(), hint(store, e));
            }
        }
    }

    /** Returns why a bucket is not the store's own; empty: it is, as far as is known. */
    public synchronized Optional<String> mismatch(StoreId id) {
        return Optional.ofNullable(mismatches.get(id));
    }
}

package io.cloudmw.client;

import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.AddedStore;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.StoreStatus;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * The operations on stores: the buckets and disks that keep replicas. Safe for any thread; {@link CloudMw} says how a
 * future fails and which threads run callbacks.
 */
public final class StoreOperations {
    private final CoordinatorClient coordinator;

    StoreOperations(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Adds a bucket to the cluster, as {@link #add(Store, boolean, boolean, boolean)} does without takeover and without a
     * check. Helpers add their disks themselves.
     *
     * @param create whether the coordinator creates the bucket, with its own credentials, when it does not exist
     */
    public CompletableFuture<Store> add(Store store, boolean create) {
        return coordinator.addStore(store, create);
    }

    /**
     * Adds a bucket to the cluster.
     *
     * @param create whether the coordinator creates the bucket, with its own credentials, when it does not exist
     * @param takesOver whether a bucket with the marker of another store or cluster is taken from it
     * @param check whether the coordinator and one helper first prove that they can use the bucket, as {@link #check}
     *     does; a cluster without a live helper is checked from the coordinator alone, as the answer says
     * @return the store and the result of the check; a check that fails adds nothing and fails with
     *     {@code STORE_DENIED}, {@code NOT_FOUND} or {@code STORE_UNAVAILABLE}; a marker without {@code takesOver} fails
     *     with {@code STORE_MISMATCH}; a known store with other settings fails with {@code ALREADY_EXISTS}
     */
    public CompletableFuture<AddedStore> add(Store store, boolean create, boolean takesOver, boolean check) {
        return coordinator.addStore(store, create, takesOver, check);
    }

    /** Replaces the bucket of a store, as {@link #replace(StoreId, boolean)} does without takeover. */
    public CompletableFuture<Store> replace(StoreId id) {
        return replace(id, false);
    }

    /**
     * Accepts the bucket that exists now in place of the bucket that a store had. Copies that are not in the new bucket are
     * lost, and upkeep makes them again.
     *
     * @param takesOver whether a bucket with the marker of another store or cluster is taken from it
     * @return done when the change is recorded; {@link ClusterOperations#status} shows the progress; fails with
     *     {@code NOT_FOUND}, and with {@code STORE_MISMATCH} for a marker without {@code takesOver}
     */
    public CompletableFuture<Store> replace(StoreId id, boolean takesOver) {
        return coordinator.replaceStore(id, takesOver);
    }

    /** Changes the credentials of a bucket, as {@link #setCredentials(StoreId, CredentialsReference, boolean)} with a check. */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials) {
        return setCredentials(store, credentials, true);
    }

    /**
     * Changes where helpers and the coordinator find the credentials of a bucket.
     *
     * @param check whether the coordinator and a helper first prove that they can use the bucket; a check that fails
     *     changes nothing
     * @return the store; fails with {@code NOT_FOUND}; with {@code INVALID_ARGUMENT} for a disk; as {@link #add} does when
     *     a check fails
     */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials, boolean check) {
        return coordinator.access().setCredentials(store, credentials, check);
    }

    /**
     * Changes the encryption that the coordinator and helpers ask a bucket for with each object, from now on. Objects
     * that are in the bucket stay as they are.
     *
     * @param check whether the coordinator and a helper first prove that they can use the bucket so, and that the
     *     bucket encrypts so; a check that fails changes nothing
     * @return the store; fails with {@code NOT_FOUND}; with {@code INVALID_ARGUMENT} for a disk; as {@link #add} does when
     *     a check fails
     */
    public CompletableFuture<Store> setEncryption(StoreId store, BucketEncryption encryption, boolean check) {
        return coordinator.access().setEncryption(store, encryption, check);
    }

    /**
     * Checks the access to buckets: the coordinator and one helper write, read, list and delete a small object in each.
     * Eight buckets take at most five seconds.
     *
     * @param stores the buckets to check; empty: all that were not declared lost
     * @param found gets the result of each store, by process, in their order; must not block
     * @return done when all are checked
     */
    public CompletableFuture<Void> check(List<StoreId> stores, BiConsumer<StoreId, Map<String, ProbeReport>> found) {
        return coordinator.access().check(stores, found);
    }

    /** Lists all stores of the cluster with their state. */
    public CompletableFuture<List<StoreStatus>> list() {
        return coordinator.stores();
    }

    /**
     * Removes a store from the cluster. The objects in it stay.
     *
     * @return done when the store is removed; fails with {@code STORE_IN_USE} while a volume uses it, and with
     *     {@code NOT_FOUND}
     */
    public CompletableFuture<Void> remove(StoreId id) {
        return coordinator.removeStore(id);
    }

    /**
     * Declares a store lost for good. Nothing is read from it or written to it any more, it leaves every volume, and upkeep
     * makes its copies again elsewhere at once. This cannot be undone.
     *
     * @return the store; {@link ClusterOperations#status} shows the progress, and the files that have no copy left; fails
     *     with {@code NOT_FOUND}
     */
    public CompletableFuture<StoreStatus> declareLost(StoreId id) {
        return coordinator.loseStore(id);
    }

    /**
     * Drains stores, or ends a drain: upkeep copies everything in them elsewhere, and nothing new is put there.
     *
     * @return the stores of the order, when the order is recorded; {@link ClusterOperations#status} shows the progress;
     *     fails with {@code NOT_ENOUGH_STORES} when a volume would have fewer stores than replicas, and with
     *     {@code NOT_FOUND}
     */
    public CompletableFuture<List<StoreId>> drain(DrainOrder order) {
        return coordinator.drain(order);
    }
}

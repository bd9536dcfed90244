package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A shared, named file tree and the rules for keeping its files.
 *
 * @param replicas k: the number of replicas of each chunk, each in a store of its own
 * @param stores the stores for new chunks; fewer than {@code replicas} only after stores were lost
 * @param writeQuorum the replicas that must be durable before a write is acknowledged
 * @param rotateReplicas whether helpers swap replicas from chunk to chunk (CloudMW §4.1)
 * @param target the target for reads; empty: none
 * @param peers whether clients that hold chunks may serve them to their neighbours
 * @param revision the count of its changes, and the stores that leave it
 */
public record Volume(
        VolumeName name,
        Chunking chunking,
        int replicas,
        List<StoreId> stores,
        int writeQuorum,
        Mode mode,
        boolean rotateReplicas,
        long createdAtMillis,
        Optional<ReadTarget> target,
        boolean peers,
        VolumeRevision revision) {
    /** The largest number of replicas. */
    public static final int MAX_REPLICAS = 16;

    /** A volume that was never changed. */
    public Volume(
            VolumeName name,
            Chunking chunking,
            int replicas,
            List<StoreId> stores,
            int writeQuorum,
            Mode mode,
            boolean rotateReplicas,
            long createdAtMillis,
            Optional<ReadTarget> target,
            boolean peers) {
        this(
                name,
                chunking,
                replicas,
                stores,
                writeQuorum,
                mode,
                rotateReplicas,
                createdAtMillis,
                target,
                peers,
                VolumeRevision.FIRST);
    }

    /** A volume whose chunks only the fleet serves. */
    public Volume(
            VolumeName name,
            Chunking chunking,
            int replicas,
            List<StoreId> stores,
            int writeQuorum,
            Mode mode,
            boolean rotateReplicas,
            long createdAtMillis,
            Optional<ReadTarget> target) {
        this(name, chunking, replicas, stores, writeQuorum, mode, rotateReplicas, createdAtMillis, target, false);
    }

    /** A volume without a target. */
    public Volume(
            VolumeName name,
            Chunking chunking,
            int replicas,
            List<StoreId> stores,
            int writeQuorum,
            Mode mode,
            boolean rotateReplicas,
            long createdAtMillis) {
        this(name, chunking, replicas, stores, writeQuorum, mode, rotateReplicas, createdAtMillis, Optional.empty());
    }

    public Volume {
        stores = List.copyOf(stores);
        if (replicas < 1 || replicas > MAX_REPLICAS) {
            throw new IllegalArgumentException("replicas: " + replicas + " (expected: 1.." + MAX_REPLICAS + ")");
        }
        if (writeQuorum < 1 || writeQuorum > replicas) {
            throw new IllegalArgumentException("writeQuorum: " + writeQuorum + " (expected: 1.." + replicas + ")");
        }
        if (new HashSet<>(stores).size() != stores.size()) {
            throw new IllegalArgumentException("stores: named twice in " + stores);
        }
        if (revision.leaving().stream().anyMatch(stores::contains)) {
            throw new IllegalArgumentException("stores: " + stores + " and leaving: " + revision.leaving()
                    + " (expected: each store in one of them)");
        }
    }

    /** The generation of its settings; 1: never changed. */
    public long generation() {
        return revision.generation();
    }

    /** The stores that leave it. */
    public List<StoreId> leaving() {
        return revision.leaving();
    }

    /** Every store that may hold its replicas: those for new chunks, then those that leave. */
    public List<StoreId> storesInUse() {
        List<StoreId> all = new ArrayList<>(stores);
        all.addAll(leaving());
        return List.copyOf(all);
    }

    /** The volume after this store began to leave; the same volume when the store takes no new chunks. */
    public Volume without(StoreId store) {
        if (!stores.contains(store)) {
            return this;
        }
        List<StoreId> filling = new ArrayList<>(stores);
        filling.remove(store);
        List<StoreId> nowLeaving = new ArrayList<>(leaving());
        nowLeaving.add(store);
        return withStores(filling, nowLeaving);
    }

    /** The volume after a change of its stores alone. */
    public Volume withStores(List<StoreId> filling, List<StoreId> nowLeaving) {
        return new Volume(
                name,
                chunking,
                replicas,
                filling,
                writeQuorum,
                mode,
                rotateReplicas,
                createdAtMillis,
                target,
                peers,
                revision.next(nowLeaving));
    }
}

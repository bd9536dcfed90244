package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A shared, named file tree and how it keeps its files.
 *
 * @param replicas k: copies of each chunk, each in a store of its own
 * @param stores where new chunks may go; fewer than {@code replicas} only after stores were lost
 * @param writeQuorum copies that must be durable before a write is acknowledged
 * @param rotateReplicas whether helpers swap replicas from chunk to chunk (CloudMW §4.1)
 * @param target what is promised of reads, if anything is
 * @param peers whether clients that hold chunks may serve them to their neighbours
 * @param revision how often it was changed, and the stores that leave it
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

    /** One that promises nothing, besides. */
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

    /** How often it was changed; 1: never. */
    public long generation() {
        return revision.generation();
    }

    /** The stores that it gives up. */
    public List<StoreId> leaving() {
        return revision.leaving();
    }

    /** Every store that may hold its copies: those that take new chunks, then those that leave. */
    public List<StoreId> storesInUse() {
        List<StoreId> all = new ArrayList<>(stores);
        all.addAll(leaving());
        return List.copyOf(all);
    }

    /** The volume once this store leaves it; itself if new chunks do not go there. */
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

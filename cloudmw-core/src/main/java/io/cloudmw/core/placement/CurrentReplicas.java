package io.cloudmw.core.placement;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The current replicas of a chunk: the places of its manifest, which never change, with the catalog's records of
 * single replicas laid over them. A replica that was moved takes the place of one that was dropped, so that the i-th
 * replica stays the i-th.
 */
public final class CurrentReplicas {
    private final Chunk chunk;
    private final List<StoreId> stores;
    private final Map<StoreId, ReplicaRecord> records;

    private CurrentReplicas(Chunk chunk, List<StoreId> stores, Map<StoreId, ReplicaRecord> records) {
        this.chunk = chunk;
        this.stores = List.copyOf(stores);
        this.records = Collections.unmodifiableMap(records);
    }

    /**
     * Lays records over a manifest.
     *
     * @param chunk the manifest's chunk
     * @param records of this chunk, or of the one that holds this slice; others are ignored
     */
    public static CurrentReplicas of(Chunk chunk, Collection<ReplicaRecord> records) {
        ChunkId stored = chunk.id().stored();
        Map<StoreId, ReplicaRecord> byStore = new TreeMap<>();
        for (ReplicaRecord record : records) {
            if (record.chunk().equals(stored)) {
                byStore.put(record.store(), record);
            }
        }
        List<StoreId> added = new ArrayList<>();
        byStore.forEach((store, record) -> {
            if (!chunk.replicas().contains(store) && !record.state().isDropped()) {
                added.add(store);
            }
        });
        List<StoreId> stores = new ArrayList<>();
        for (StoreId store : chunk.replicas()) {
            ReplicaRecord record = byStore.get(store);
            if (record == null || !record.state().isDropped()) {
                stores.add(store);
            } else if (!added.isEmpty()) {
                stores.add(added.remove(0));
            }
        }
        stores.addAll(added);
        return new CurrentReplicas(chunk, stores, byStore);
    }

    /** The manifest's chunk. */
    public Chunk chunk() {
        return chunk;
    }

    /** The chunk with its current replicas. */
    public Chunk located() {
        return stores.equals(chunk.replicas()) ? chunk : chunk.at(stores);
    }

    /** The stores that have its replicas, or ought to. */
    public List<StoreId> stores() {
        return stores;
    }

    /** The record of a store, whether it has a replica or not. */
    public Optional<ReplicaRecord> record(StoreId store) {
        return Optional.ofNullable(records.get(store));
    }

    /** Returns whether a store has a replica that is believed good. */
    public boolean isGood(StoreId store) {
        return stores.contains(store) && !isFaulty(store);
    }

    /** The stores whose replicas are not good: owed, missing or corrupt. */
    public Set<StoreId> faulty() {
        return stores.stream().filter(this::isFaulty).collect(Collectors.toUnmodifiableSet());
    }

    private boolean isFaulty(StoreId store) {
        ReplicaRecord record = records.get(store);
        return record != null && record.state().isFault();
    }

    /** The record of a good replica that has arrived in a store. */
    public ReplicaRecord arrived(StoreId store, long nowMillis) {
        ReplicaState state = chunk.replicas().contains(store) ? ReplicaState.GOOD : ReplicaState.MOVED;
        return new ReplicaRecord(chunk.id().stored(), store, state, nowMillis);
    }

    /** The replicas after these records are kept. */
    public CurrentReplicas with(Collection<ReplicaRecord> changes) {
        Map<StoreId, ReplicaRecord> changed = new TreeMap<>(records);
        for (ReplicaRecord change : changes) {
            if (change.state() == ReplicaState.GOOD) {
                changed.remove(change.store());
            } else {
                changed.put(change.store(), change);
            }
        }
        return of(chunk, changed.values());
    }
}

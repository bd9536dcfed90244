package io.cloudmw.core.placement;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
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
 * Where a chunk's copies are now: where its manifest says, which never changes, with what is recorded of single copies
 * laid over it. A copy that was moved takes the place of one that was dropped, so that the i-th replica stays the i-th.
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
     * @param chunk as its manifest has it
     * @param records of this chunk; others are ignored
     */
    public static CurrentReplicas of(Chunk chunk, Collection<ReplicaRecord> records) {
        Map<StoreId, ReplicaRecord> byStore = new TreeMap<>();
        for (ReplicaRecord record : records) {
            if (record.chunk().equals(chunk.id())) {
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

    /** As its manifest has it. */
    public Chunk chunk() {
        return chunk;
    }

    /** The chunk with its copies where they are. */
    public Chunk located() {
        return stores.equals(chunk.replicas()) ? chunk : chunk.at(stores);
    }

    /** The stores its copies are in, or ought to be in. */
    public List<StoreId> stores() {
        return stores;
    }

    /** What is recorded of the copy in a store, whether it is one or not. */
    public Optional<ReplicaRecord> record(StoreId store) {
        return Optional.ofNullable(records.get(store));
    }

    /** Whether a store has a copy that is believed good. */
    public boolean isGood(StoreId store) {
        return stores.contains(store) && !isFaulty(store);
    }

    /** The stores whose copies are not good: owed, missing or corrupt. */
    public Set<StoreId> faulty() {
        return stores.stream().filter(this::isFaulty).collect(Collectors.toUnmodifiableSet());
    }

    private boolean isFaulty(StoreId store) {
        ReplicaRecord record = records.get(store);
        return record != null && record.state().isFault();
    }

    /** The record that says that a store has a good copy now. */
    public ReplicaRecord arrived(StoreId store, long nowMillis) {
        ReplicaState state = chunk.replicas().contains(store) ? ReplicaState.GOOD : ReplicaState.MOVED;
        return new ReplicaRecord(chunk.id(), store, state, nowMillis);
    }

    /** The same copies once these records are kept. */
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

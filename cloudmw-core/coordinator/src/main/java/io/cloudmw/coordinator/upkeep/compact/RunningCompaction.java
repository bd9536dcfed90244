package io.cloudmw.coordinator.upkeep.compact;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.upkeep.Task;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A compaction of one pack that is under way: the tasks of helpers, and the copies of the smaller pack that they have
 * made. Not thread-safe.
 */
final class RunningCompaction {
    private final FileVersion replaced;
    private final PackRelocation place;
    private final long lengthBytes;
    private final Map<StoreId, Task.Compact> tasks = new LinkedHashMap<>();
    private final Map<StoreId, Chunk> made = new LinkedHashMap<>();

    /**
     * @param places of the copies of both packs
     * @param kept the ranges of the replaced pack's chunk that are kept
     * @param place of the bytes in the new pack
     * @param lengthBytes of the new pack
     */
    RunningCompaction(
            FileVersion replaced,
            CompactionPlaces places,
            List<ByteRange> kept,
            PackRelocation place,
            long lengthBytes) {
        this.replaced = replaced;
        this.place = place;
        this.lengthBytes = lengthBytes;
        for (Store target : places.targets()) {
            tasks.put(
                    target.id(),
                    new Task.Compact(places.chunk(), target, replaced.file(), places.sources(), kept, place));
        }
    }

    FileVersion replaced() {
        return replaced;
    }

    PackRelocation place() {
        return place;
    }

    List<Task.Compact> tasks() {
        return List.copyOf(tasks.values());
    }

    /** Returns the tasks whose copies are not made yet. */
    List<Task.Compact> left() {
        return tasks.values().stream()
                .filter(task -> !made.containsKey(task.store().id()))
                .toList();
    }

    /** Records that a helper has made a copy. */
    void made(StoreId store, Chunk pack) {
        if (tasks.containsKey(store)) {
            made.put(store, pack);
        }
    }

    /** Returns how many bytes stores need less for all copies. */
    long freedBytes() {
        return (replaced.sizeBytes() - lengthBytes) * tasks.size();
    }

    /**
     * Returns the chunk of the new pack in its stores, once all copies are made.
     *
     * @return empty when the copies differ, or are not what was ordered
     */
    Optional<Chunk> chunk() {
        LeafDigests leaves = made.values().iterator().next().leaves();
        boolean equal = made.values().stream()
                .allMatch(pack -> pack.id().equals(place.chunk())
                        && pack.range().equals(new ByteRange(0, lengthBytes))
                        && pack.leafSizeBytes() == replaced.leafSizeBytes()
                        && pack.leaves().equals(leaves));
        return equal ? Optional.of(made.values().iterator().next().at(place.stores())) : Optional.empty();
    }
}

package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A page of a store's listing whose copies are classified a few at a time. Confined to one thread. */
final class ClassifiedPage {
    /** The most chunks that one task deletes and one step classifies; each may belong to another version. */
    static final int MOST_CHUNKS = 100;

    /** The most versions of those chunks; the catalog is asked about each. */
    private static final int MOST_VERSIONS = 16;

    private final Store store;
    private final Page<StoredChunk> page;
    private final List<ChunkId> deletable = new ArrayList<>();
    private int classified;

    ClassifiedPage(Store store, Page<StoredChunk> page) {
        this.store = store;
        this.page = page;
    }

    StoreId store() {
        return store.id();
    }

    Page<StoredChunk> page() {
        return page;
    }

    /** Returns the copies that the next step classifies. */
    List<StoredChunk> next() {
        List<StoredChunk> left = page.items().subList(classified, page.items().size());
        return left.subList(
                0, first(left.stream().map(StoredChunk::id).toList()).size());
    }

    /**
     * Records that the next copies are classified.
     *
     * @param old those of them that may be deleted
     */
    void classified(int copies, Collection<ChunkId> old) {
        classified += copies;
        deletable.addAll(old);
    }

    boolean isDone() {
        return classified == page.items().size();
    }

    /** Returns tasks that delete all copies which may be deleted. */
    List<Task.Delete> deletions() {
        return deletions(store, deletable);
    }

    /** Returns tasks of bounded size that delete these copies. */
    static List<Task.Delete> deletions(Store store, List<ChunkId> chunks) {
        List<Task.Delete> tasks = new ArrayList<>();
        List<ChunkId> left = List.copyOf(chunks);
        while (!left.isEmpty()) {
            List<ChunkId> some = first(left);
            tasks.add(new Task.Delete(store, some));
            left = left.subList(some.size(), left.size());
        }
        return tasks;
    }

    /** Returns as many chunks as one step classifies, or one task deletes. */
    private static List<ChunkId> first(List<ChunkId> chunks) {
        Set<VersionId> versions = new HashSet<>();
        int end = 0;
        while (end < Math.min(chunks.size(), MOST_CHUNKS)) {
            versions.add(chunks.get(end).version());
            if (versions.size() > MOST_VERSIONS) {
                break;
            }
            end++;
        }
        return chunks.subList(0, end);
    }
}

package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkPages;
import io.cloudmw.core.store.ChunkStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A lookup of chunks in a store. The lookup lists one page, which is enough for a store that was just replaced. The
 * chunks beyond that page are looked up one by one.
 */
final class ChunkLookup {
    private final ChunkStore store;

    ChunkLookup(ChunkStore store) {
        this.store = store;
    }

    /**
     * Returns the chunks that the store has, in order.
     *
     * @param chunks at least one
     * @throws CloudMwException when the store cannot tell
     */
    List<ChunkId> run(List<ChunkId> chunks) throws CloudMwException {
        List<ChunkId> sorted =
                chunks.stream().sorted(Comparator.comparing(ChunkId::toString)).toList();
        ChunkId first = sorted.get(0);
        List<ChunkId> there = new ArrayList<>();
        if (store.length(first).isPresent()) {
            there.add(first);
        }
        Page<StoredChunk> page = store.list(first.toString(), ChunkPages.MAX_LIMIT);
        Set<ChunkId> listed = page.items().stream().map(StoredChunk::id).collect(Collectors.toSet());
        String end = page.nextToken();
        for (ChunkId chunk : sorted.subList(1, sorted.size())) {
            boolean isBeyond = !page.isLast() && chunk.toString().compareTo(end) > 0;
            if (isBeyond ? store.length(chunk).isPresent() : listed.contains(chunk)) {
                there.add(chunk);
            }
        }
        return there;
    }
}

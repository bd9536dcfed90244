package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoredChunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.Listing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds out which of some chunks lie in a store. A store that was just replaced has few: one page of its listing says most. The
 * chunks beyond that page are asked for one by one.
 */
final class ChunkLookup {
    private final ChunkStore store;

    ChunkLookup(ChunkStore store) {
        this.store = store;
    }

    /**
     * Those that are there, in order.
     *
     * @param chunks at least one
     * @throws CloudMwException when the store cannot say so
     */
    List<ChunkId> run(List<ChunkId> chunks) throws CloudMwException {
        List<ChunkId> sorted =
                chunks.stream().sorted(Comparator.comparing(ChunkId::toString)).toList();
        ChunkId first = sorted.get(0);
        List<ChunkId> there = new ArrayList<>();
        if (store.length(first).isPresent()) {
            there.add(first);
        }
        Page<StoredChunk> page = store.list(first.toString(), Listing.MAX_LIMIT);
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

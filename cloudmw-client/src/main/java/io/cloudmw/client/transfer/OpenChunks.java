package io.cloudmw.client.transfer;

import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The chunks planned and not yet delivered, and which blocks are of which chunk. Confined to the transfer. */
final class OpenChunks {
    private static final int MAX_BLOCKS_REMEMBERED = 1024;

    private static final class Open {
        final SegmentFeed.Item item;
        long missing;

        Open(SegmentFeed.Item item, long missing) {
            this.item = item;
            this.missing = missing;
        }
    }

    private final Map<Long, Open> open = new HashMap<>();
    private final Map<BlockId, Long> blocks = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Long> eldest) {
            return size() > MAX_BLOCKS_REMEMBERED;
        }
    };

    void add(SegmentFeed.Item item, long bytes) {
        open.put(item.chunk().chunk().index(), new Open(item, bytes));
    }

    /** The chunk a block in flight is of. */
    SegmentFeed.Item of(Block block) {
        Open chunk = open.get(block.chunkIndex());
        if (chunk == null) {
            throw new IllegalStateException("chunk " + block.chunkIndex() + " is not open");
        }
        blocks.put(block.id(), block.chunkIndex());
        return chunk.item;
    }

    long indexOf(BlockId block) {
        return blocks.getOrDefault(block, -1L);
    }

    /** True with the last byte: the chunk is forgotten. */
    boolean delivered(long chunkIndex, long bytes) {
        Open chunk = open.get(chunkIndex);
        if (chunk == null) {
            return false;
        }
        chunk.missing -= bytes;
        if (chunk.missing > 0) {
            return false;
        }
        open.remove(chunkIndex);
        return true;
    }
}

package io.cloudmw.client.read;

import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The chunks of one get that are planned and not yet delivered, and the blocks that belong to them. Confined to the
 * transfer.
 */
final class OpenChunks {
    private static final int MAX_BLOCKS_REMEMBERED = 1024;

    private static final class Open {
        final ManifestReader.Item item;
        final long kept;
        final long fromPeers;
        final long planned;
        long missing;

        Open(ManifestReader.Item item, long kept, long fromPeers, long planned) {
            this.item = item;
            this.kept = kept;
            this.fromPeers = fromPeers;
            this.planned = planned;
            missing = planned;
        }
    }

    private final Map<Long, Open> open = new HashMap<>();
    private final Map<BlockId, Long> blocks = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Long> eldest) {
            return size() > MAX_BLOCKS_REMEMBERED;
        }
    };

    /**
     * Opens one.
     *
     * @param kept bytes of it that were there already
     * @param fromPeers bytes of it that peers have brought
     * @param planned bytes to be delivered
     */
    void add(ManifestReader.Item item, long kept, long fromPeers, long planned) {
        open.put(item.chunk().chunk().index(), new Open(item, kept, fromPeers, planned));
    }

    /** Bytes that were there already of chunks that are open. */
    long keptBytes() {
        return open.values().stream().mapToLong(chunk -> chunk.kept).sum();
    }

    /** Bytes that peers brought of chunks that are open. */
    long peerBytes() {
        return open.values().stream().mapToLong(chunk -> chunk.fromPeers).sum();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Bytes delivered of chunks that are open. */
    long deliveredBytes() {
        return open.values().stream()
                .mapToLong(chunk -> chunk.planned - chunk.missing)
                .sum();
    }

    /** The chunk a block in flight is of. */
    ManifestReader.Item of(Block block) {
        Open chunk = open.get(block.chunkIndex());
        if (chunk == null) {
            throw new IllegalStateException("chunk " + block.chunkIndex() + " is not open");
        }
        blocks.put(block.id(), block.chunkIndex());
        return chunk.item;
    }

    /** Empty when it is not open. */
    Optional<Chunk> at(long chunkIndex) {
        return Optional.ofNullable(open.get(chunkIndex))
                .map(chunk -> chunk.item.chunk().chunk());
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

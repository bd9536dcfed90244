package io.cloudmw.client.read;

import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.model.chunk.Chunk;
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
     * Opens a chunk.
     *
     * @param kept bytes that an earlier get had left
     * @param fromPeers bytes that peers have brought
     * @param planned bytes to be delivered
     */
    void add(ManifestReader.Item item, long kept, long fromPeers, long planned) {
        open.put(item.chunk().chunk().index(), new Open(item, kept, fromPeers, planned));
    }

    /** Bytes of open chunks that an earlier get had left. */
    long keptBytes() {
        return open.values().stream().mapToLong(chunk -> chunk.kept).sum();
    }

    /** Bytes of open chunks that peers have brought. */
    long peerBytes() {
        return open.values().stream().mapToLong(chunk -> chunk.fromPeers).sum();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Bytes of open chunks that were delivered. */
    long deliveredBytes() {
        return open.values().stream()
                .mapToLong(chunk -> chunk.planned - chunk.missing)
                .sum();
    }

    /** The chunk of a block in flight. */
    ManifestReader.Item of(Block block) {
        Open chunk = open.get(block.chunkIndex());
        if (chunk == null) {
            throw new IllegalStateException("chunk " + block.chunkIndex() + " is not open");
        }
        blocks.put(block.id(), block.chunkIndex());
        return chunk.item;
    }

    /** Empty when the chunk is not open. */
    Optional<Chunk> at(long chunkIndex) {
        return Optional.ofNullable(open.get(chunkIndex))
                .map(chunk -> chunk.item.chunk().chunk());
    }

    long indexOf(BlockId block) {
        return blocks.getOrDefault(block, -1L);
    }

    /** Counts delivered bytes; returns true with the chunk's last byte, which closes the chunk. */
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

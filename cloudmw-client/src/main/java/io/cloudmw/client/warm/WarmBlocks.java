package io.cloudmw.client.warm;

import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.status.StoreStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The blocks of a version in order, in the size that switches share. Confined to its warm-up. */
final class WarmBlocks {
    private final ManifestReader feed;
    private final Map<StoreId, StoreStatus> stores = new HashMap<>();
    private @Nullable PlannedChunk chunk;
    private long offset;
    private int next;
    /** The place of the chunk that is being cut, or else of the next one. */
    private Place place;

    /**
     * The beginning of a chunk.
     *
     * @param block its first block
     * @param offset in the version
     */
    record Place(int block, long offset) {
        static final Place FIRST = new Place(0, 0);
    }

    /** @param feed the reader of the plan's version, from {@code first} on; closed with this */
    WarmBlocks(ManifestReader feed, ReadPlan plan, Place first) {
        this.feed = feed;
        this.place = first;
        this.next = first.block();
        plan.stores().forEach(status -> stores.put(status.store().id(), status));
    }

    /** The next block; null when none is here now. */
    @Nullable
    Piece poll() {
        PlannedChunk current = chunk;
        if (current == null) {
            ManifestReader.Item item = feed.poll();
            if (item == null) {
                return null;
            }
            current = item.chunk();
            chunk = current;
            offset = 0;
        }
        Place begins = place;
        long length = current.chunk().range().length();
        int leaf = current.chunk().leafSizeBytes();
        long most = Math.max(1, ModePolicy.SWITCHED_BLOCK_BYTES / leaf) * leaf;
        ByteRange range = new ByteRange(offset, Math.min(most, length - offset));
        offset = range.end();
        Piece piece = new Piece(next++, current, range, begins);
        if (offset == length) {
            chunk = null;
            place = new Place(next, current.chunk().range().end());
        }
        return piece;
    }

    /** The {@link Piece#id} of the next block. */
    int next() {
        return next;
    }

    /** The beginning of the next block's chunk. */
    Place place() {
        return place;
    }

    /** Returns whether {@link #poll} will never return another block. */
    boolean isEnded() {
        return chunk == null && feed.isEnded();
    }

    void close() {
        feed.close();
    }

    /** A block. */
    final class Piece {
        private final int id;
        private final PlannedChunk planned;
        private final ByteRange range;
        private final Place place;

        Piece(int id, PlannedChunk planned, ByteRange range, Place place) {
            this.id = id;
            this.planned = planned;
            this.range = range;
            this.place = place;
        }

        /** The beginning of its chunk. */
        Place place() {
            return place;
        }

        /** Counts the version's blocks from 0. */
        int id() {
            return id;
        }

        ChunkId chunk() {
            return planned.chunk().id();
        }

        long length() {
            return range.length();
        }

        long blocksInChunk() {
            long blockBytes = ModePolicy.SWITCHED_BLOCK_BYTES;
            return (planned.chunk().range().length() + blockBytes - 1) / blockBytes;
        }

        /** Counts the chunk's blocks from 0. */
        long number() {
            return range.offset() / ModePolicy.SWITCHED_BLOCK_BYTES;
        }

        /**
         * The block for a switch.
         *
         * @param tries the number of failed tries: each names another replica, if there is one
         */
        IssuedBlock issued(int tries, HelperId target) {
            Chunk of = planned.chunk();
            List<StoreId> replicas = of.replicas();
            Set<Integer> barred = barred(replicas);
            List<Integer> readable = readable(replicas, barred, target);
            int replica = readable.get((int) ((id + (long) tries) % readable.size()));
            Block block = new Block(
                    new BlockId(id),
                    of.index(),
                    range,
                    replicas.size(),
                    List.of(new Entrant(new RacerId(0), replica)),
                    BlockRule.SOLE,
                    barred);
            return new IssuedBlock(
                    block,
                    of.id(),
                    of.range().length(),
                    of.leafSizeBytes(),
                    Leaves.slice(of.leaves().crc32c(), range, of.leafSizeBytes()),
                    replicas,
                    false,
                    planned.token());
        }

        /** Replicas that are known to be bad, if others are left. */
        private Set<Integer> barred(List<StoreId> replicas) {
            Set<Integer> bad = new HashSet<>();
            for (int replica = 0; replica < replicas.size(); replica++) {
                if (planned.bad().contains(replicas.get(replica))) {
                    bad.add(replica);
                }
            }
            return bad.size() < replicas.size() ? bad : Set.of();
        }

        /** Replicas on the target's own disks; otherwise reachable ones; otherwise any that is not barred. */
        private List<Integer> readable(List<StoreId> replicas, Set<Integer> barred, HelperId target) {
            List<Integer> any = IntStream.range(0, replicas.size())
                    .filter(replica -> !barred.contains(replica))
                    .boxed()
                    .toList();
            List<Integer> own = any.stream()
                    .filter(replica -> owner(replicas.get(replica)).equals(Optional.of(target)))
                    .toList();
            List<Integer> reached = any.stream()
                    .filter(replica -> isAvailable(replicas.get(replica)))
                    .toList();
            return !own.isEmpty() ? own : !reached.isEmpty() ? reached : any;
        }

        private boolean isAvailable(StoreId store) {
            StoreStatus status = stores.get(store);
            return status != null && status.available();
        }

        private Optional<HelperId> owner(StoreId store) {
            return Optional.ofNullable(stores.get(store))
                    .map(StoreStatus::store)
                    .flatMap(Store::owner);
        }
    }
}

package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.EvictingCache;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafMemory;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cache of a switch: leaves in memory, and more on a disk. A leaf never becomes stale, since its key names a chunk,
 * and chunks never change. Safe for any thread.
 */
public final class LeafCache implements AutoCloseable {
    /** The share of memory for cached leaves; the rest is for leaves in transit. */
    private static final double CACHED_SHARE = 0.75;

    private final LeafMemory room;
    private final EvictingCache<LeafKey, Leaf> memory;
    private final @Nullable DiskCache disk;
    private final CacheMetrics meters;
    private volatile boolean closed;

    /**
     * Creates a cache whose memory is empty.
     *
     * @param room the allocator of leaves; cached leaves may use most of its memory
     * @param disk the disk tier, which is closed with this; empty for none
     */
    public LeafCache(LeafMemory room, Optional<DiskCache> disk, CacheMetrics meters) {
        this.room = room;
        this.disk = disk.orElse(null);
        this.meters = meters;
        this.memory = new EvictingCache<>(
                (long) (CACHED_SHARE * (double) room.memory().limitBytes()),
                Leaf::length,
                (key, leaf) -> leaf.release(),
                () -> meters.evicted(Tier.MEMORY));
        meters.holds(Tier.MEMORY, memory::bytes);
        disk.ifPresent(tier -> meters.holds(Tier.DISK, tier::bytes));
    }

    /** A leaf in memory, which the caller releases. An unexpected leaf is dropped. */
    public Optional<Leaf> inMemory(LeafKey key, Predicate<Leaf> expected) {
        Optional<Leaf> kept = memory.get(key);
        kept.filter(expected.negate()).ifPresent(other -> memory.remove(key, other));
        return kept.filter(expected).filter(Leaf::retain);
    }

    /** The disk tier, if it has a leaf. */
    public Optional<DiskCache> onDisk(LeafKey key) {
        DiskCache tier = disk;
        return tier != null && tier.has(key) ? Optional.of(tier) : Optional.empty();
    }

    /**
     * Returns whether an expected leaf is in memory, or a leaf is on the disk, where the reader verifies it. Does not
     * count for the eviction policy.
     */
    public boolean keeps(LeafKey key, Predicate<Leaf> expected) {
        DiskCache tier = disk;
        return memory.peek(key).filter(expected).isPresent() || (tier != null && tier.keeps(key));
    }

    /** Capacity in bytes: that of the disk tier if there is one, since it also has the leaves in memory. */
    public long capacityBytes() {
        DiskCache tier = disk;
        return tier == null ? memory.limitBytes() : tier.limitBytes();
    }

    /** Bytes of memory for leaves in transit. */
    public long passingBytes() {
        return room.memory().limitBytes() - memory.limitBytes();
    }

    /** Offers a leaf in memory to the cache, with a reference of its own. */
    public void remember(LeafKey key, Leaf leaf) {
        if (leaf.place() == Leaf.Place.MEMORY && leaf.retain()) {
            memory.put(key, leaf);
            if (closed) {
                memory.clear(); // the cache was closed meanwhile
            }
        }
    }

    /** Writes a copy of a leaf to the disk tier; blocks. */
    public void save(LeafKey key, Leaf leaf) {
        DiskCache tier = disk;
        if (tier != null && leaf.place() != Leaf.Place.STORE) {
            tier.put(key, leaf.length(), leaf.crc32c(), leaf::copyTo);
        }
    }

    /** Drops a leaf from both tiers. */
    public void forget(LeafKey key) {
        memory.get(key).ifPresent(leaf -> memory.remove(key, leaf));
        DiskCache tier = disk;
        if (tier != null) {
            tier.forget(key);
        }
    }

    public LeafMemory room() {
        return room;
    }

    public CacheMetrics meters() {
        return meters;
    }

    /** Releases the leaves in memory; leaves on the disk stay. */
    @Override
    public void close() {
        closed = true;
        memory.clear();
        DiskCache tier = disk;
        if (tier != null) {
            tier.close();
        }
    }
}

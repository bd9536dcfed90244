package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.ByteBoundedCache;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafAllocator;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leaves a switch keeps: some in memory, more on a disk. A leaf is named by its chunk, which never changes, so nothing is
 * ever out of date. Safe for any thread.
 */
public final class LeafCache implements AutoCloseable {
    /** Of the memory; the rest is for leaves on their way that are not kept, or no longer. */
    private static final double KEPT_SHARE = 0.75;

    private final LeafAllocator room;
    private final ByteBoundedCache<LeafKey, Leaf> memory;
    private final @Nullable DiskTier disk;
    private final CacheMetrics meters;
    private volatile boolean closed;

    /**
     * Starts with nothing in memory.
     *
     * @param room where leaves are put; most of its memory may be used by those that are kept
     * @param disk taken over; empty: only memory
     */
    public LeafCache(LeafAllocator room, Optional<DiskTier> disk, CacheMetrics meters) {
        this.room = room;
        this.disk = disk.orElse(null);
        this.meters = meters;
        this.memory = new ByteBoundedCache<>(
                (long) (KEPT_SHARE * (double) room.memory().limitBytes()),
                Leaf::length,
                (key, leaf) -> leaf.release(),
                () -> meters.evicted(Tier.MEMORY));
        meters.holds(Tier.MEMORY, memory::bytes);
        disk.ifPresent(tier -> meters.holds(Tier.DISK, tier::bytes));
    }

    /** A leaf that is in memory; the caller releases it. One that is not as {@code expected} is not kept any longer. */
    public Optional<Leaf> inMemory(LeafKey key, Predicate<Leaf> expected) {
        Optional<Leaf> kept = memory.get(key);
        kept.filter(expected.negate()).ifPresent(other -> memory.remove(key, other));
        return kept.filter(expected).filter(Leaf::retain);
    }

    /** The disk tier, if it has this leaf. */
    public Optional<DiskTier> onDisk(LeafKey key) {
        DiskTier tier = disk;
        return tier != null && tier.has(key) ? Optional.of(tier) : Optional.empty();
    }

    /**
     * Whether a leaf is kept, in memory as {@code expected}, or on the disk, where it is looked at when it is read. Says nothing
     * about how often it is asked for.
     */
    public boolean keeps(LeafKey key, Predicate<Leaf> expected) {
        DiskTier tier = disk;
        return memory.peek(key).filter(expected).isPresent() || (tier != null && tier.keeps(key));
    }

    /** Bytes it may keep: on the disk, where there is one, for what is in memory is there too. */
    public long capacityBytes() {
        DiskTier tier = disk;
        return tier == null ? memory.limitBytes() : tier.limitBytes();
    }

    /** Of its memory, what is left for what is on its way. */
    public long passingBytes() {
        return room.memory().limitBytes() - memory.limitBytes();
    }

    /** Keeps what came into memory there, if it is worth it; the caller goes on holding it. */
    public void remember(LeafKey key, Leaf leaf) {
        if (leaf.place() == Leaf.Place.MEMORY && leaf.retain()) {
            memory.put(key, leaf);
            if (closed) {
                memory.clear(); // it came too late
            }
        }
    }

    /** Keeps a copy of what a store gave on the disk; blocks. */
    public void save(LeafKey key, Leaf leaf) {
        DiskTier tier = disk;
        if (tier != null && leaf.place() != Leaf.Place.STORE) {
            tier.put(key, leaf);
        }
    }

    /** Keeps this leaf nowhere any longer, until it comes anew. */
    public void forget(LeafKey key) {
        memory.get(key).ifPresent(leaf -> memory.remove(key, leaf));
        DiskTier tier = disk;
        if (tier != null) {
            tier.forget(key);
        }
    }

    public LeafAllocator room() {
        return room;
    }

    public CacheMetrics meters() {
        return meters;
    }

    /** Lets go of what is in memory; what is on the disk stays. */
    @Override
    public void close() {
        closed = true;
        memory.clear();
        DiskTier tier = disk;
        if (tier != null) {
            tier.close();
        }
    }
}

package io.cloudmw.core.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of fetched blocks, bounded in bytes. It holds the blocks in flight, for which any number of readers wait, and
 * evicts the least recently used of the others. Beyond its limits, fetches wait in order. Safe for any thread; calls no
 * fetch with its lock held.
 *
 * @param <K> key of a block, whose bytes never change
 */
public final class BoundedFetchCache<K> {
    /** Fetches in flight at once. */
    public static final int MAX_RUNNING = 64;

    /** Fetches that wait to begin. */
    public static final int MAX_WAITING = 4096;

    private final long limitBytes;
    private final Consumer<byte[]> evicted;

    /** Least recently used first. */
    @GuardedBy("this")
    private final Map<K, Slot<K>> slots = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Queue<Slot<K>> waiting = new ArrayDeque<>();

    /** Bytes of blocks that are present or in flight. */
    @GuardedBy("this")
    private long usedBytes;

    @GuardedBy("this")
    private int running;

    private static final class Slot<K> {
        final K key;
        final int length;
        final Consumer<CompletableFuture<byte[]>> fetch;
        final CompletableFuture<byte[]> block = new CompletableFuture<>();

        /** Calls of {@link #use} under way. Guarded by the lock of the buffer. */
        int users;

        Slot(K key, int length, Consumer<CompletableFuture<byte[]>> fetch) {
            this.key = key;
            this.length = length;
            this.fetch = fetch;
        }
    }

    /** @param limitBytes bytes of blocks present and in flight; a longer block is fetched alone */
    public BoundedFetchCache(long limitBytes) {
        this(limitBytes, block -> {});
    }

    /**
     * A buffer whose blocks may be used again for other bytes after their eviction. All readers then read by {@link
     * #use}, and take nothing from the futures of {@link #get} but the time.
     *
     * @param limitBytes bytes of blocks present and in flight; a longer block is fetched alone
     * @param evicted takes the blocks that were evicted, which nobody uses; called with a lock held
     */
    public BoundedFetchCache(long limitBytes, Consumer<byte[]> evicted) {
        this.limitBytes = limitBytes;
        this.evicted = evicted;
    }

    /**
     * Gets a block, as soon as it is present.
     *
     * @param fetch completes the future that it is given; not called when the block is present or in flight
     * @return fails as the fetch did, and the next request fetches the leaf anew. The bytes must not be changed
     */
    public CompletableFuture<byte[]> get(K key, int length, Consumer<CompletableFuture<byte[]>> fetch) {
        Slot<K> slot;
        synchronized (this) {
            Slot<K> known = slots.get(key);
            if (known != null) {
                return known.block;
            }
            if (waiting.size() == MAX_WAITING) {
                return CompletableFuture.failedFuture(new CloudMwException(
                        ErrorCode.OVERLOADED,
                        key + ": " + MAX_WAITING + " blocks wait to be read (read fewer at once)"));
            }
            slot = new Slot<>(key, length, fetch);
            slots.put(key, slot);
            waiting.add(slot);
        }
        begin();
        return slot.block;
    }

    /**
     * Uses the bytes of a block, which stays until the call ends.
     *
     * @param reader called by this thread; must not change the bytes, nor keep them
     * @return false, without a call, when the block is not present
     */
    public boolean use(K key, Consumer<byte[]> reader) {
        Slot<K> slot;
        synchronized (this) {
            slot = slots.get(key);
            if (slot == null || !slot.block.isDone() || slot.block.isCompletedExceptionally()) {
                return false;
            }
            slot.users++;
        }
        try {
            reader.accept(slot.block.join());
        } finally {
            leave(slot);
        }
        return true;
    }

    private void leave(Slot<K> slot) {
        boolean waits;
        synchronized (this) {
            slot.users--;
            waits = !waiting.isEmpty();
        }
        if (waits) {
            begin();
        }
    }

    private void begin() {
        for (Slot<K> next = next(); next != null; next = next()) {
            Slot<K> begun = next;
            var unused = begun.block.whenComplete((bytes, failure) -> done(begun, failure == null));
            begun.fetch.accept(begun.block);
        }
    }

    private synchronized @Nullable Slot<K> next() {
        Slot<K> next = waiting.peek();
        if (next == null || running == MAX_RUNNING || !makeRoom(next.length)) {
            return null;
        }
        waiting.remove();
        running++;
        usedBytes += next.length;
        return next;
    }

    /** Evicts the least recently used blocks; blocks in flight and in use stay. */
    @GuardedBy("this")
    private boolean makeRoom(int length) {
        Iterator<Slot<K>> oldestFirst = slots.values().iterator();
        while (usedBytes + length > limitBytes && oldestFirst.hasNext()) {
            Slot<K> slot = oldestFirst.next();
            if (slot.block.isDone() && slot.users == 0) {
                oldestFirst.remove();
                usedBytes -= slot.length;
                if (!slot.block.isCompletedExceptionally()) {
                    evicted.accept(slot.block.join());
                }
            }
        }
        return usedBytes + length <= limitBytes || running == 0;
    }

    private void done(Slot<K> slot, boolean here) {
        synchronized (this) {
            running--;
            if (!here && slots.remove(slot.key, slot)) {
                usedBytes -= slot.length;
            }
        }
        begin();
    }

    /** Bytes of blocks that are present or in flight. */
    public synchronized long usedBytes() {
        return usedBytes;
    }
}

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

        Slot(K key, int length, Consumer<CompletableFuture<byte[]>> fetch) {
            this.key = key;
            this.length = length;
            this.fetch = fetch;
        }
    }

    /** @param limitBytes bytes of blocks present and in flight; a longer block is fetched alone */
    public BoundedFetchCache(long limitBytes) {
        this.limitBytes = limitBytes;
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

    /** Evicts the least recently used blocks; blocks in flight stay. */
    @GuardedBy("this")
    private boolean makeRoom(int length) {
        Iterator<Slot<K>> oldestFirst = slots.values().iterator();
        while (usedBytes + length > limitBytes && oldestFirst.hasNext()) {
            Slot<K> slot = oldestFirst.next();
            if (slot.block.isDone()) {
                oldestFirst.remove();
                usedBytes -= slot.length;
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

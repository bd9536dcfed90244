package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
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
 * A buffer of the verified leaves of all open files of a client, bounded in bytes. It holds the leaves in flight, for
 * which any number of reads wait, and the leaves read last. Beyond its limits, fetches wait in order. Safe for any
 * thread; calls no listener with its lock held.
 */
final class LeafBuffer {
    /** Fetches in flight at once. */
    static final int MAX_RUNNING = 64;

    /** Fetches that wait to begin. */
    static final int MAX_WAITING = 4096;

    private final long limitBytes;

    /** Least recently used first. */
    @GuardedBy("this")
    private final Map<LeafKey, Slot> slots = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Queue<Slot> waiting = new ArrayDeque<>();

    /** Bytes of leaves that are present or in flight. */
    @GuardedBy("this")
    private long usedBytes;

    @GuardedBy("this")
    private int running;

    private static final class Slot {
        final LeafKey key;
        final int length;
        final Consumer<CompletableFuture<byte[]>> fetch;
        final CompletableFuture<byte[]> leaf = new CompletableFuture<>();

        Slot(LeafKey key, int length, Consumer<CompletableFuture<byte[]>> fetch) {
            this.key = key;
            this.length = length;
            this.fetch = fetch;
        }
    }

    /** @param limitBytes bytes of leaves present and in flight; a longer leaf is fetched alone */
    LeafBuffer(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Gets a leaf, as soon as it is present.
     *
     * @param fetch completes the future that it is given; not called when the leaf is present or in flight
     * @return fails as the fetch did, and the next request fetches the leaf anew. The bytes must not be changed
     */
    CompletableFuture<byte[]> get(LeafKey key, int length, Consumer<CompletableFuture<byte[]>> fetch) {
        Slot slot;
        synchronized (this) {
            Slot known = slots.get(key);
            if (known != null) {
                return known.leaf;
            }
            if (waiting.size() == MAX_WAITING) {
                return CompletableFuture.failedFuture(new CloudMwException(
                        ErrorCode.OVERLOADED,
                        "leaf " + key + ": " + MAX_WAITING + " leaves wait to be read (read fewer at once)"));
            }
            slot = new Slot(key, length, fetch);
            slots.put(key, slot);
            waiting.add(slot);
        }
        begin();
        return slot.leaf;
    }

    private void begin() {
        for (Slot next = next(); next != null; next = next()) {
            Slot begun = next;
            var unused = begun.leaf.whenComplete((bytes, failure) -> done(begun, failure == null));
            begun.fetch.accept(begun.leaf);
        }
    }

    private synchronized @Nullable Slot next() {
        Slot next = waiting.peek();
        if (next == null || running == MAX_RUNNING || !makeRoom(next.length)) {
            return null;
        }
        waiting.remove();
        running++;
        usedBytes += next.length;
        return next;
    }

    /** Evicts the least recently used leaves; leaves in flight stay. */
    @GuardedBy("this")
    private boolean makeRoom(int length) {
        Iterator<Slot> oldestFirst = slots.values().iterator();
        while (usedBytes + length > limitBytes && oldestFirst.hasNext()) {
            Slot slot = oldestFirst.next();
            if (slot.leaf.isDone()) {
                oldestFirst.remove();
                usedBytes -= slot.length;
            }
        }
        return usedBytes + length <= limitBytes || running == 0;
    }

    private void done(Slot slot, boolean here) {
        synchronized (this) {
            running--;
            if (!here && slots.remove(slot.key, slot)) {
                usedBytes -= slot.length;
            }
        }
        begin();
    }

    /** Bytes of leaves that are present or in flight. */
    synchronized long usedBytes() {
        return usedBytes;
    }
}

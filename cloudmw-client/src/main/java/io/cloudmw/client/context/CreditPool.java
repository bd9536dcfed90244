package io.cloudmw.client.context;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * A budget of bytes in flight, for all gets or all puts of one client. Each transfer first reserves its minimum, in
 * order of arrival; a get then borrows more while bytes are free. Safe for any thread.
 */
public final class CreditPool {
    private record Waiting(long bytes, CompletableFuture<Void> admitted) {}

    private final long capacity;

    @GuardedBy("this")
    private long free;

    @GuardedBy("this")
    private final Queue<Waiting> queue = new ArrayDeque<>();

    public CreditPool(long capacityBytes) {
        if (capacityBytes <= 0) {
            throw new IllegalArgumentException("capacityBytes: " + capacityBytes + " (expected: > 0)");
        }
        capacity = capacityBytes;
        free = capacityBytes;
    }

    public long capacity() {
        return capacity;
    }

    public synchronized long free() {
        return free;
    }

    /**
     * Reserves bytes, without blocking, once they are free.
     *
     * @throws IllegalArgumentException when {@code bytes} exceeds the capacity
     */
    public CompletableFuture<Void> reserve(long bytes) {
        if (bytes > capacity) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: <= " + capacity + ")");
        }
        CompletableFuture<Void> admitted = new CompletableFuture<>();
        synchronized (this) {
            queue.add(new Waiting(bytes, admitted));
        }
        admit();
        return admitted;
    }

    /** Takes up to {@code bytes}; nothing while a reservation waits. */
    public synchronized long borrow(long bytes) {
        return borrow(bytes, 0);
    }

    /** Takes up to {@code bytes} as {@link #borrow} does, but leaves a quarter of the capacity for urgent bytes. */
    public synchronized long borrowSpare(long bytes) {
        return borrow(bytes, capacity / 4);
    }

    @GuardedBy("this")
    private long borrow(long bytes, long left) {
        if (!queue.isEmpty()) {
            return 0;
        }
        long taken = Math.max(0, Math.min(bytes, free - left));
        free -= taken;
        return taken;
    }

    public void giveBack(long bytes) {
        synchronized (this) {
            free += bytes;
        }
        admit();
    }

    private void admit() {
        while (true) {
            Waiting next;
            synchronized (this) {
                next = queue.peek();
                if (next == null || (next.bytes > free && !next.admitted.isDone())) {
                    return;
                }
                queue.remove();
                free -= next.bytes;
            }
            if (!next.admitted.complete(null)) {
                synchronized (this) { // cancelled while it waited
                    free += next.bytes;
                }
            }
        }
    }
}

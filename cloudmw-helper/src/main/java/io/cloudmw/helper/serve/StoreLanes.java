package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs puts on a pool, only so many of each store at once: a store that is slow keeps some of the threads busy, not all.
 * Its users bound what waits. Safe for any thread.
 */
public final class StoreLanes {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLanes.class);

    private static final int MAX_FAILING = 1024;

    private final Executor threads;
    private final int width;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<StoreId, Lane> lanes = new HashMap<>();

    /** Stores no chunk could be written to lately; beyond {@link #MAX_FAILING} nobody remembers. */
    @GuardedBy("lock")
    private final Set<StoreId> failing = new HashSet<>();

    /** What one store has to do. */
    private static final class Lane {
        final Deque<Runnable> waiting = new ArrayDeque<>();
        int running;
    }

    /**
     * Nothing runs yet.
     *
     * @param threads may block; a pool, never the caller itself
     * @param width puts of one store at once
     */
    public StoreLanes(Executor threads, int width) {
        this.threads = threads;
        this.width = width;
    }

    /**
     * Runs {@code put} when it is its turn; it throws nothing.
     *
     * @throws RejectedExecutionException when the pool takes no more; {@code put} does not run then
     */
    void execute(StoreId store, Runnable put) {
        synchronized (lock) {
            Lane lane = lanes.computeIfAbsent(store, ignored -> new Lane());
            lane.waiting.add(put);
            if (lane.running == width) {
                return;
            }
            lane.running++;
            boolean started = false;
            try {
                threads.execute(() -> next(store));
                started = true;
            } finally {
                if (!started) {
                    lane.waiting.remove(put);
                    left(store, lane);
                }
            }
        }
    }

    /** Takes back a put that has not begun; does nothing for another. */
    void remove(StoreId store, Runnable put) {
        synchronized (lock) {
            Lane lane = lanes.get(store);
            if (lane != null) {
                lane.waiting.remove(put);
            }
        }
    }

    /** Notes that a chunk could not be written to a store; whether that is news, not so since one last could. */
    boolean failed(StoreId store) {
        synchronized (lock) {
            return failing.size() < MAX_FAILING ? failing.add(store) : !failing.contains(store);
        }
    }

    /** Notes that a chunk was written to a store; whether that is news, because one before could not be. */
    boolean succeeded(StoreId store) {
        synchronized (lock) {
            return failing.remove(store);
        }
    }

    /** Runs one put, then lets other stores have a turn. */
    private void next(StoreId store) {
        boolean more = true;
        while (more) {
            Runnable put = take(store);
            if (put == null) {
                return;
            }
            try {
                put.run();
            } catch (RuntimeException | Error e) {
                LOG.error("store={}: a put failed by a defect", store, e);
            }
            more = !handedOn(store);
        }
    }

    private @Nullable Runnable take(StoreId store) {
        synchronized (lock) {
            Lane lane = lanes.get(store);
            Runnable put = lane == null ? null : lane.waiting.poll();
            if (put == null && lane != null) {
                left(store, lane);
            }
            return put;
        }
    }

    private boolean handedOn(StoreId store) {
        try {
            threads.execute(() -> next(store));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    @GuardedBy("lock")
    private void left(StoreId store, Lane lane) {
        lane.running--;
        if (lane.running == 0 && lane.waiting.isEmpty()) {
            lanes.remove(store);
        }
    }
}

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
 * The lanes of puts on a pool. The lane of a store runs a limited number of puts at once, so that a slow store does not
 * occupy all threads. Callers bound the queue. Safe for any thread.
 */
public final class StoreLanes {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLanes.class);

    private static final int MAX_FAILING = 1024;

    private final Executor threads;
    private final int width;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<StoreId, Lane> lanes = new HashMap<>();

    /** Stores whose last put failed, at most {@link #MAX_FAILING}. */
    @GuardedBy("lock")
    private final Set<StoreId> failing = new HashSet<>();

    /** The puts of one store. */
    private static final class Lane {
        final Deque<Runnable> waiting = new ArrayDeque<>();
        int running;
    }

    /**
     * Creates lanes without puts.
     *
     * @param threads run puts, which may block; never the calling thread
     * @param width concurrent puts of one store
     */
    public StoreLanes(Executor threads, int width) {
        this.threads = threads;
        this.width = width;
    }

    /**
     * Runs a put in its turn.
     *
     * @param put throws nothing
     * @throws RejectedExecutionException when the pool is full; the put does not run then
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

    /** Withdraws a put that has not begun; does nothing otherwise. */
    void remove(StoreId store, Runnable put) {
        synchronized (lock) {
            Lane lane = lanes.get(store);
            if (lane != null) {
                lane.waiting.remove(put);
            }
        }
    }

    /** Notes a failed put; returns true for the first failure after a success. */
    boolean failed(StoreId store) {
        synchronized (lock) {
            return failing.size() < MAX_FAILING ? failing.add(store) : !failing.contains(store);
        }
    }

    /** Notes a successful put; returns true for the first success after a failure. */
    boolean succeeded(StoreId store) {
        synchronized (lock) {
            return failing.remove(store);
        }
    }

    /** Runs one put, then gives other stores a turn. */
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

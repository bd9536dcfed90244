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
 * occupy all threads. At most half of a lane, and of the pool, are puts of chunks that still arrive, so that slow
 * writers do not occupy them either. Callers bound the queue. Safe for any thread.
 */
public final class StoreLanes {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLanes.class);

    private static final int MAX_FAILING = 1024;

    private final Executor threads;
    private final int width;
    private final int mostArriving;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<StoreId, Lane> lanes = new HashMap<>();

    /** Stores whose last put failed, at most {@link #MAX_FAILING}. */
    @GuardedBy("lock")
    private final Set<StoreId> failing = new HashSet<>();

    /** Puts of arriving chunks in all lanes. */
    @GuardedBy("lock")
    private int arriving;

    /** The puts of one store. */
    private static final class Lane {
        final Deque<Runnable> waiting = new ArrayDeque<>();
        int running;
        /** Running puts whose chunks still arrive. */
        int arriving;
    }

    /**
     * Creates lanes without puts.
     *
     * @param threads run puts, which may block; never the calling thread
     * @param width concurrent puts of one store
     * @param mostArriving concurrent puts of arriving chunks in all lanes
     */
    public StoreLanes(Executor threads, int width, int mostArriving) {
        this.threads = threads;
        this.width = width;
        this.mostArriving = mostArriving;
    }

    /**
     * Begins the put of an arriving chunk at once, or not at all.
     *
     * @param put throws nothing
     * @return false when the lane or the pool has no place for it: the put does not run then
     */
    boolean beginArriving(StoreId store, Runnable put) {
        synchronized (lock) {
            Lane lane = lanes.computeIfAbsent(store, ignored -> new Lane());
            boolean begun = false;
            if (lane.running < width && lane.arriving < width / 2 && arriving < mostArriving) {
                change(lane, 1);
                try {
                    threads.execute(() -> runArriving(store, lane, put));
                    begun = true;
                } catch (RejectedExecutionException | OutOfMemoryError e) {
                    change(lane, -1);
                }
            }
            removeIfIdle(store, lane);
            return begun;
        }
    }

    @GuardedBy("lock")
    private void change(Lane lane, int puts) {
        lane.running += puts;
        lane.arriving += puts;
        arriving += puts;
    }

    private void runArriving(StoreId store, Lane lane, Runnable put) {
        run(store, put);
        synchronized (lock) {
            lane.arriving--;
            arriving--;
        }
        if (!handedOn(store)) {
            next(store);
        }
    }

    private static void run(StoreId store, Runnable put) {
        try {
            put.run();
        } catch (RuntimeException | Error e) {
            LOG.error("store={}: a put failed by a defect", store, e);
        }
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
            run(store, put);
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
        removeIfIdle(store, lane);
    }

    @GuardedBy("lock")
    private void removeIfIdle(StoreId store, Lane lane) {
        if (lane.running == 0 && lane.waiting.isEmpty()) {
            lanes.remove(store);
        }
    }
}

package io.cloudmw.core.reach;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch over the cluster's buckets: it knows which of them this process cannot use. It lists the stores and sends
 * each bucket one cheap request every {@code interval}, less a random part of up to half of it. While there is a fault
 * it asks every {@value #FAULTY_SECONDS} s. A bucket that does not answer once is asked again before it counts as
 * unreachable. Safe for any thread.
 */
public final class BucketWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BucketWatch.class);
    private static final long FAULTY_SECONDS = 10;
    private static final long DOUBTED_SECONDS = 2;
    private static final int THREADS = 4;
    private static final int MOST_QUEUED = 20_000;
    private static final long STEP_MILLIS = 250;

    /** The source of the list of all stores; may block. */
    @FunctionalInterface
    public interface Listing {
        List<Store> stores() throws CloudMwException;
    }

    private final String process;
    private final Listing listing;
    private final BucketProbe probe;
    private final long intervalNanos;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final CompletableFuture<Void> firstLook = new CompletableFuture<>();

    @GuardedBy("this")
    private final Map<StoreId, BucketState> watched = new LinkedHashMap<>();

    @GuardedBy("this")
    private long listDueNanos;

    @GuardedBy("this")
    private long refreshedNanos;

    @GuardedBy("this")
    private boolean isListing;

    @GuardedBy("this")
    private boolean listed;

    @GuardedBy("this")
    private @Nullable ScheduledExecutorService timer;

    @GuardedBy("this")
    private @Nullable ExecutorService workers;

    /** A bucket with its known faults. */
    private static final class BucketState {
        private Store store;
        private long dueNanos;
        private long lookedNanos;
        private boolean looking;
        private boolean looked;
        private boolean doubted;
        private @Nullable StoreFault fault;

        BucketState(Store store, long dueNanos) {
            this.store = store;
            this.dueNanos = dueNanos;
            this.lookedNanos = dueNanos;
        }
    }

    /**
     * Makes a watch that knows nothing before {@link #start}.
     *
     * @param process the name of this process in logs
     * @param interval between two requests to a bucket
     */
    public BucketWatch(
            String process,
            Listing listing,
            BucketProbe probe,
            Duration interval,
            Ticker ticker,
            RandomGenerator random) {
        this.process = process;
        this.listing = listing;
        this.probe = probe;
        this.intervalNanos = interval.toNanos();
        this.ticker = ticker;
        this.random = random;
        this.listDueNanos = ticker.nanos();
        this.refreshedNanos = ticker.nanos() - TimeUnit.SECONDS.toNanos(1);
    }

    /** The watch of a process that uses no buckets. It need not be started. */
    public static BucketWatch none() {
        BucketWatch none = new BucketWatch(
                "", List::of, BucketProbe.none(), Duration.ofHours(1), Ticker.system(), new SplittableRandom());
        none.firstLook.complete(null);
        return none;
    }

    /** Begins to watch, on threads of its own. */
    public void start() {
        start(Threads.blocking("buckets", THREADS, MOST_QUEUED));
    }

    /**
     * Begins on threads of the pool, which this watch closes. Work that the pool rejects is due again at the next
     * step.
     */
    synchronized void start(ExecutorService pool) {
        if (timer != null) {
            pool.shutdown();
            return;
        }
        ScheduledExecutorService clock = Threads.timer("bucket-watch");
        workers = pool;
        timer = clock;
        var unused = clock.scheduleWithFixedDelay(() -> step(pool), 0, STEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits until each bucket was asked once.
     *
     * @return false when that takes longer
     */
    public boolean awaitFirstLook(Duration most) throws InterruptedException {
        try {
            firstLook.get(most.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    /** The buckets that this process cannot use. */
    public synchronized Map<StoreId, StoreFault> faults() {
        Map<StoreId, StoreFault> faults = new LinkedHashMap<>();
        watched.forEach((id, bucket) -> {
            if (bucket.fault != null) {
                faults.put(id, bucket.fault);
            }
        });
        return faults;
    }

    /** The fault that keeps this process out of a bucket; empty: none is known. */
    public synchronized Optional<StoreFault> fault(StoreId store) {
        return Optional.ofNullable(watched.get(store)).map(bucket -> bucket.fault);
    }

    /**
     * A bucket as the cluster knows it, with the reference to its credentials. A bucket that is missing makes the list
     * be read again, unless it is less than a second old.
     */
    public Optional<Store> find(StoreId store) {
        Optional<Store> known = known(store);
        if (known.isEmpty() && mayRefresh()) {
            list();
            known = known(store);
        }
        return known;
    }

    /** The same after the list was read again, for callers that know the store to be another one. */
    public Optional<Store> findAnew(StoreId store) {
        if (mayRefresh()) {
            list();
        }
        return known(store);
    }

    private synchronized Optional<Store> known(StoreId store) {
        return Optional.ofNullable(watched.get(store)).map(bucket -> bucket.store);
    }

    private synchronized boolean mayRefresh() {
        long now = ticker.nanos();
        if (now - refreshedNanos < TimeUnit.SECONDS.toNanos(1)) {
            return false;
        }
        refreshedNanos = now;
        return true;
    }

    /** Asks a bucket again at once, or a second after the last request, because a request to it failed. */
    public void doubt(StoreId store) {
        askWithin(store, 1);
    }

    /** Asks a bucket again within {@value #FAULTY_SECONDS} s, because another process found a fault. */
    public void doubtSoon(StoreId store) {
        askWithin(store, FAULTY_SECONDS);
    }

    private synchronized void askWithin(StoreId store, long seconds) {
        BucketState bucket = watched.get(store);
        if (bucket != null && bucket.fault == null) {
            long due = bucket.lookedNanos + TimeUnit.SECONDS.toNanos(seconds);
            bucket.dueNanos = due - bucket.dueNanos < 0 ? due : bucket.dueNanos;
        }
    }

    /**
     * Takes the finding of a check by this process. A check also writes: when it was denied, the bucket is asked again
     * at once, because reads may still be allowed.
     */
    public void checked(Store asked, Optional<StoreFault> found) {
        synchronized (this) {
            BucketState bucket = watched.get(asked.id());
            if (bucket == null || !bucket.store.kind().equals(asked.kind())) {
                return;
            }
            if (found.filter(fault -> fault.kind() == StoreFault.Kind.DENIED).isPresent()) {
                bucket.dueNanos = ticker.nanos();
            } else {
                take(bucket, found);
            }
        }
        tellFirst();
    }

    private void step(ExecutorService pool) {
        try {
            if (beginListing() && !submit(pool, this::listInTurn, this::endListing)) {
                return;
            }
            for (BucketState bucket : due()) {
                if (begin(bucket) && !submit(pool, () -> look(bucket), () -> end(bucket))) {
                    return;
                }
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("{}: buckets could not be asked; trying again", process, e);
        }
    }

    /**
     * Hands a task to the pool.
     *
     * @param undo makes the task due again when the pool rejects it
     * @return false when the pool rejects it
     */
    private boolean submit(ExecutorService pool, Runnable task, Runnable undo) {
        boolean submitted = false;
        try {
            pool.execute(task);
            submitted = true;
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: is closing, or very late with its buckets", process, e);
        } finally {
            if (!submitted) {
                undo.run();
            }
        }
        return submitted;
    }

    private synchronized boolean beginListing() {
        boolean due = !isListing && ticker.nanos() - listDueNanos >= 0;
        isListing |= due;
        return due;
    }

    private void listInTurn() {
        try {
            list();
        } finally {
            endListing();
        }
    }

    private synchronized void endListing() {
        isListing = false;
    }

    /** The buckets to ask, the longest due first, so that a full pool delays none for ever. */
    private synchronized List<BucketState> due() {
        long now = ticker.nanos();
        List<BucketState> due = new ArrayList<>();
        for (BucketState bucket : watched.values()) {
            if (!bucket.looking && now - bucket.dueNanos >= 0) {
                due.add(bucket);
            }
        }
        due.sort(Comparator.comparingLong(bucket -> bucket.dueNanos - now));
        return due;
    }

    /** Marks the bucket as being asked; returns false when it was already. */
    private synchronized boolean begin(BucketState bucket) {
        boolean begun = !bucket.looking;
        bucket.looking = true;
        return begun;
    }

    private synchronized void end(BucketState bucket) {
        bucket.looking = false;
    }

    private void list() {
        try {
            take(listing.stores());
        } catch (CloudMwException e) {
            LOG.debug("{}: the stores could not be listed; trying again", process, e);
            boolean mayComeBack = e.code() == ErrorCode.COORDINATOR_UNAVAILABLE;
            synchronized (this) {
                listDueNanos = ticker.nanos() + TimeUnit.SECONDS.toNanos(mayComeBack ? 1 : FAULTY_SECONDS);
            }
            if (!mayComeBack) {
                firstLook.complete(null);
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("{}: the stores could not be listed; trying again", process, e);
            synchronized (this) {
                listDueNanos = ticker.nanos() + TimeUnit.SECONDS.toNanos(FAULTY_SECONDS);
            }
        }
    }

    private void take(List<Store> stores) {
        synchronized (this) {
            long now = ticker.nanos();
            Set<StoreId> there = stores.stream()
                    .filter(BucketWatch::isWatched)
                    .map(Store::id)
                    .collect(Collectors.toSet());
            watched.keySet().retainAll(there);
            for (Store store : stores) {
                if (isWatched(store)) {
                    BucketState known = watched.computeIfAbsent(store.id(), id -> new BucketState(store, now));
                    if (!known.store.equals(store)) {
                        known.store = store;
                        known.dueNanos = now;
                        known.doubted = false;
                    }
                }
            }
            listed = true;
            listDueNanos = now + jittered(Math.min(intervalNanos, TimeUnit.SECONDS.toNanos(FAULTY_SECONDS)));
        }
        tellFirst();
    }

    /** Returns whether a store is a bucket that processes use and that was not declared lost. */
    private static boolean isWatched(Store store) {
        return store.owner().isEmpty() && !store.isLost();
    }

    private void look(BucketState bucket) {
        Store asked;
        synchronized (this) {
            asked = bucket.store;
        }
        Optional<StoreFault> found;
        try {
            found = probe.look(asked);
        } catch (RuntimeException | Error e) {
            LOG.warn("store={}: could not be asked", asked.id(), e);
            found = Optional.empty();
        }
        note(bucket, asked, found);
        tellFirst();
    }

    private synchronized void note(BucketState bucket, Store asked, Optional<StoreFault> found) {
        bucket.looking = false;
        if (bucket.store.equals(asked)) {
            take(bucket, found);
        } else {
            bucket.dueNanos = ticker.nanos();
        }
    }

    @GuardedBy("this")
    private void take(BucketState bucket, Optional<StoreFault> found) {
        long now = ticker.nanos();
        Store asked = bucket.store;
        bucket.lookedNanos = now;
        boolean first = !bucket.looked;
        bucket.looked = true;
        StoreFault before = bucket.fault;
        if (found.isEmpty()) {
            bucket.doubted = false;
            bucket.fault = null;
            bucket.dueNanos = now + jittered(intervalNanos);
            if (before != null) {
                LOG.info("{}: store={} can be used again", process, asked.id());
            }
            return;
        }
        StoreFault fault = found.get();
        boolean unsure = fault.kind() == StoreFault.Kind.UNREACHABLE && before == null && !first && !bucket.doubted;
        if (unsure) {
            bucket.doubted = true;
            bucket.dueNanos = now + TimeUnit.SECONDS.toNanos(DOUBTED_SECONDS);
            return;
        }
        bucket.fault = before != null && before.kind() == fault.kind() ? fault.since(before.sinceMillis()) : fault;
        boolean same = before != null && before.reason().equals(fault.reason());
        bucket.dueNanos = now + jittered(Math.min(intervalNanos, TimeUnit.SECONDS.toNanos(FAULTY_SECONDS)));
        if (!same) {
            LOG.warn(
                    "{}: store={} cannot be used from here ({}): {}",
                    process,
                    asked.id(),
                    reference(asked),
                    fault.reason());
        }
    }

    private static String reference(Store store) {
        return store.kind() instanceof Store.S3 s3 ? s3.credentials().describe() : "";
    }

    private void tellFirst() {
        boolean all;
        synchronized (this) {
            all = listed && watched.values().stream().allMatch(bucket -> bucket.looked);
        }
        if (all) {
            firstLook.complete(null);
        }
    }

    @GuardedBy("this")
    private long jittered(long nanos) {
        return nanos - (long) (nanos / 2.0 * random.nextDouble());
    }

    /** Stops the watch and its requests. Idempotent. */
    @Override
    public void close() {
        ScheduledExecutorService clock;
        ExecutorService pool;
        synchronized (this) {
            clock = timer;
            pool = workers;
        }
        if (clock != null) {
            clock.shutdownNow();
        }
        if (pool != null) {
            pool.shutdownNow();
        }
    }
}

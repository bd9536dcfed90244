package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.fetch.StoreResolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replication of one chunk to its stores, which are written concurrently.
 *
 * <ol>
 *   <li>Puts begin while the chunk arrives, where the store takes that and the lanes have room. A put that fails
 *       meanwhile does not count: it is made again when the chunk has arrived.
 *   <li>The replication answers when the write quorum is durable, and goes on with the other copies while there is room
 *       for late ones.
 *   <li>A failed put is retried when a retry may help. Copies that become durable after the answer are reported.
 *   <li>The replication fails at once, with a retry-after, when disks that are out of reach leave too few stores for
 *       the quorum. A writer hears that before it sends anything, if it is known by then.
 * </ol>
 *
 * Safe for any thread.
 */
final class ChunkReplication {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkReplication.class);

    /** Retry-after for a writer whose disks are out of reach; the coordinator hears of a dead owner in seconds. */
    private static final Duration REPLACEMENT_DELAY = Duration.ofMillis(500);

    /** Smaller chunks have arrived before a put could begin. */
    private static final long MIN_EARLY_BYTES = 4 << 20;

    /** The state of a put that began while the chunk arrived. */
    private enum EarlyPut {
        RUNNING,
        STORED,
        FAILED
    }

    /**
     * The listener of a replication. The failure hears {@code durable} or {@code failed} once, and {@code finished}
     * once, on any thread.
     */
    interface Listener {
        /** Returns whether the missing copies may go on after the quorum; called before {@code durable}. */
        boolean mayContinue();

        void durable(WriteResult result);

        void failed(CloudMwException cause);

        /** The source of the bytes is not needed any more. */
        void finished();
    }

    private final BulkRequest.Write request;
    private final TransferClaims claims;
    private final StoreResolver stores;
    private final WriteServices services;
    private final StoreLanes storing;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<StoreId> stored = new ArrayList<>();

    /**
     * Stores that do not count for the quorum, with the reason: all tries failed, or the disk cannot be reached now.
     */
    @GuardedBy("lock")
    private final Map<StoreId, CloudMwException> lacking = new TreeMap<>();

    /** The last failure at each store that does not have the chunk yet. */
    @GuardedBy("lock")
    private final Map<StoreId, WriteObstacle> troubles = new TreeMap<>();

    @GuardedBy("lock")
    private int givenUp;

    /** Withdraws queued tries, by store. */
    @GuardedBy("lock")
    private final Map<StoreId, Runnable> waiting = new HashMap<>();

    /** Puts that began while the chunk arrived. */
    @GuardedBy("lock")
    private final Map<StoreId, EarlyPut> early = new HashMap<>();

    /** Set when the whole chunk has arrived. */
    @GuardedBy("lock")
    private @Nullable Listener arrived;

    @GuardedBy("lock")
    private boolean answered;

    /** The answer was that the quorum cannot be met. */
    @GuardedBy("lock")
    private boolean refused;

    @GuardedBy("lock")
    private boolean settled;

    /**
     * Puts nothing before {@link #begin} or {@link #start}.
     *
     * @param storing runs the puts
     */
    ChunkReplication(
            BulkRequest.Write request,
            TransferClaims claims,
            StoreResolver stores,
            WriteServices services,
            StoreLanes storing) {
        this.request = request;
        this.claims = claims;
        this.stores = stores;
        this.services = services;
        this.storing = storing;
    }

    /**
     * Checks, before the writer sends anything, that the quorum can be met.
     *
     * @throws CloudMwException when too many disks are missing, or too many owners and carriers are known to be out of
     *     reach
     */
    void check() throws CloudMwException {
        synchronized (lock) {
            for (Store store : request.stores()) {
                if (store.kind() instanceof Store.Disk || services.stores().isCarried(request.targets(), store)) {
                    try {
                        var unused = stores.open(store.id());
                    } catch (CloudMwException e) {
                        lacking.put(store.id(), e);
                    }
                }
            }
            if (hopeful() < request.writeQuorum()) {
                throw quorumNotMet();
            }
            lacking.clear();
        }
    }

    /** The troubles of copies that were tried and are missing. */
    List<WriteObstacle> troubles() {
        synchronized (lock) {
            return List.copyOf(troubles.values());
        }
    }

    /** Begins puts of a chunk that is about to arrive; called at most once, before {@link #start}. */
    void begin(ChunkSource source) {
        if (source.length() < MIN_EARLY_BYTES) {
            return;
        }
        for (Store store : request.stores()) {
            beginEarly(store.id(), source);
        }
    }

    private void beginEarly(StoreId store, ChunkSource source) {
        try {
            if (!stores.open(store).takesArrivingSources()) {
                return;
            }
        } catch (CloudMwException e) {
            LOG.debug("{}: no put while it arrives", what(store), e);
            return; // the put after its arrival handles the failure
        }
        synchronized (lock) {
            early.put(store, EarlyPut.RUNNING);
            if (!storing.beginArriving(store, () -> putEarly(store, source))) {
                early.remove(store);
            }
        }
    }

    private void putEarly(StoreId store, ChunkSource source) {
        Optional<CloudMwException> failure = tryPut(store, source);
        Listener listener;
        synchronized (lock) {
            listener = arrived;
            early.put(store, failure.isEmpty() ? EarlyPut.STORED : EarlyPut.FAILED);
        }
        if (listener == null) {
            failure.ifPresent(cause -> LOG.debug("{}: failed while the chunk arrived", what(store), cause));
        } else if (failure.isEmpty()) {
            succeeded(store, listener);
        } else {
            failed(store, failure.get(), source, listener, 0);
        }
    }

    /** Starts the puts that have not begun, of a chunk that has arrived; called once. */
    void start(ChunkSource source, Listener listener) {
        Map<StoreId, EarlyPut> begun;
        synchronized (lock) {
            arrived = listener;
            begun = Map.copyOf(early);
        }
        for (Store store : request.stores()) {
            if (begun.getOrDefault(store.id(), EarlyPut.FAILED) == EarlyPut.FAILED) {
                attempt(store.id(), source, listener, 0);
            }
        }
        begun.forEach((store, put) -> {
            if (put == EarlyPut.STORED) {
                succeeded(store, listener);
            }
        });
    }

    private void attempt(StoreId store, ChunkSource source, Listener listener, int tried) {
        Runnable put = () -> put(store, source, listener, tried);
        if (!mayQueue(store, () -> storing.remove(store, put))) {
            return;
        }
        try {
            storing.execute(store, put);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            failed(
                    store,
                    new CloudMwException(ErrorCode.OVERLOADED, what(store) + ": the queue of puts is full", e),
                    source,
                    listener,
                    tried);
        }
    }

    /** Notes how to withdraw a try that is about to wait; returns false when the replication is over. */
    private boolean mayQueue(StoreId store, Runnable withdraw) {
        synchronized (lock) {
            if (!settled) {
                waiting.put(store, withdraw);
            }
            return !settled;
        }
    }

    private void put(StoreId store, ChunkSource source, Listener listener, int tried) {
        Optional<CloudMwException> failure = tryPut(store, source);
        if (failure.isPresent()) {
            failed(store, failure.get(), source, listener, tried);
        } else {
            succeeded(store, listener);
        }
    }

    /** Puts the chunk; returns the failure, if it failed. */
    private Optional<CloudMwException> tryPut(StoreId store, ChunkSource source) {
        try {
            stores.open(store).put(request.chunk(), source);
            return Optional.empty();
        } catch (CloudMwException e) {
            return Optional.of(e);
        } catch (RuntimeException | Error e) {
            LOG.error("{}: put failed by a defect", what(store), e);
            return Optional.of(CloudMwException.ofDefect(what(store), e));
        }
    }

    private void succeeded(StoreId store, Listener listener) {
        if (storing.succeeded(store)) {
            LOG.info("store={} can be written again", store);
        }
        WriteResult answer = null;
        boolean late;
        synchronized (lock) {
            stored.add(store);
            lacking.remove(store);
            troubles.remove(store);
            late = answered;
            if (!answered && stored.size() >= request.writeQuorum()) {
                answered = true;
                List<StoreId> owed =
                        new ArrayList<>(request.stores().stream().map(Store::id).toList());
                owed.removeAll(stored);
                answer = new WriteResult(stored, owed);
            }
        }
        try {
            if (answer != null) {
                if (!answer.owed().isEmpty() && !listener.mayContinue()) {
                    drop(listener);
                }
                listener.durable(answer);
            } else if (late) {
                services.reporter().report(claims, new ReplicaReport(request.chunk(), store, ReplicaState.GOOD));
            }
        } finally {
            settle(listener);
        }
    }

    private void failed(StoreId store, CloudMwException cause, ChunkSource source, Listener listener, int tried) {
        synchronized (lock) {
            troubles.put(store, new WriteObstacle(store, cause.code(), String.valueOf(cause.getMessage()), tried + 1));
        }
        if (tried < services.timing().retryDelays().size() && mayHelp(cause) && mayWait(store, cause)) {
            long delay = services.timing().retryDelays().get(tried).toNanos();
            Runnable again = () -> attempt(store, source, listener, tried + 1);
            Optional<Future<?>> later = Threads.later(services.timing().timer(), delay, again);
            if (later.isPresent()) {
                if (!mayQueue(store, () -> later.get().cancel(false))) {
                    later.get().cancel(false);
                }
                return;
            }
        }
        trouble(List.of(store), "cannot be written: " + cause.getMessage());
        CloudMwException answer = null;
        synchronized (lock) {
            lacking.put(store, cause);
            givenUp++;
            if (!answered && hopeful() < request.writeQuorum()) {
                answered = true;
                refused = true;
                answer = quorumNotMet();
            }
        }
        try {
            if (answer != null) {
                listener.failed(answer);
            }
        } finally {
            settle(listener);
        }
    }

    /**
     * Returns whether a retry may come later; it may not when the writer would wait for a disk that is out of reach.
     */
    private boolean mayWait(StoreId store, CloudMwException cause) {
        synchronized (lock) {
            if (isOutOfReach(cause)) {
                lacking.put(store, cause);
            }
            return !refused && (answered || hopeful() >= request.writeQuorum());
        }
    }

    /** Number of stores that have the chunk, or may have it soon. */
    @GuardedBy("lock")
    private int hopeful() {
        return request.stores().size() - lacking.size();
    }

    /**
     * The failure of the quorum. The failure has a retry-after when only disks out of reach are missing, so that the
     * writer asks for others.
     */
    @GuardedBy("lock")
    private CloudMwException quorumNotMet() {
        long outOfReach =
                lacking.values().stream().filter(ChunkReplication::isOutOfReach).count();
        boolean forNow = hopeful() + outOfReach >= request.writeQuorum();
        CloudMwException why =
                request.stores().size() == 1 ? lacking.values().iterator().next() : tooFew();
        CloudMwException named = why.refusedBy(refusing());
        return forNow ? named.retriedAfter(REPLACEMENT_DELAY) : named;
    }

    /** Ids of the stores at which no retry helps. */
    @GuardedBy("lock")
    private List<String> refusing() {
        return lacking.entrySet().stream()
                .filter(entry -> entry.getValue().isForGood())
                .map(entry -> entry.getKey().value())
                .toList();
    }

    /** Returns whether no retry can meet the quorum. */
    @GuardedBy("lock")
    private boolean isForGood() {
        return request.stores().size() - refusing().size() < request.writeQuorum();
    }

    @GuardedBy("lock")
    private CloudMwException tooFew() {
        String causes = lacking.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue().code() + " " + said(entry.getValue()))
                .collect(Collectors.joining("; "));
        ErrorCode code = reason().orElse(ErrorCode.QUORUM_NOT_MET);
        return new CloudMwException(
                code,
                isForGood() ? RetryVerdict.NEVER : code.verdict(),
                "chunk=" + request.chunk() + ": " + hopeful() + " of the "
                        + request.stores().size() + " stores chosen for it can take it (expected: >= "
                        + request.writeQuorum() + ", the write quorum); " + causes,
                null);
    }

    /** The message of a store's failure, without the chunk, which begins the whole message. */
    private String said(CloudMwException cause) {
        String message = String.valueOf(cause.getMessage());
        String chunk = "chunk=" + request.chunk();
        return message.startsWith(chunk) ? message.substring(chunk.length()).replaceFirst("^[ :]+", "") : message;
    }

    /** The code of all failures, when they have the same one and no retry helps. */
    @GuardedBy("lock")
    private Optional<ErrorCode> reason() {
        List<CloudMwException> causes = List.copyOf(lacking.values());
        ErrorCode first = causes.get(0).code();
        boolean same = causes.stream().allMatch(cause -> cause.code() == first && !mayHelp(cause));
        return same ? Optional.of(first) : Optional.empty();
    }

    /** Drops the missing copies; the answer says that they are owed. */
    private void drop(Listener listener) {
        List<Runnable> queued;
        List<StoreId> late;
        synchronized (lock) {
            if (settled) {
                return;
            }
            settled = true;
            queued = List.copyOf(waiting.values());
            late = new ArrayList<>(request.stores().stream().map(Store::id).toList());
            late.removeAll(stored);
            waiting.clear();
        }
        trouble(late, "no room for late copies; they stay owed");
        queued.forEach(Runnable::run);
        listener.finished();
    }

    /** Logs one warning for each store until a put succeeds there, since the other chunks have the same trouble. */
    private void trouble(List<StoreId> those, String what) {
        for (StoreId store : those) {
            if (storing.failed(store)) {
                LOG.warn("{}: {} (logged once until a put succeeds)", what(store), what);
            } else {
                LOG.debug("{}: {}", what(store), what);
            }
        }
    }

    private void settle(Listener listener) {
        boolean all;
        synchronized (lock) {
            all = !settled && stored.size() + givenUp == request.stores().size();
            settled |= all;
        }
        if (all) {
            listener.finished();
        }
    }

    private static boolean mayHelp(CloudMwException cause) {
        if (cause.isForGood()) {
            return false;
        }
        return switch (cause.code()) {
            case STORE_UNAVAILABLE, OVERLOADED, DEADLINE_EXCEEDED, HELPER_UNAVAILABLE -> true;
            default -> false;
        };
    }

    /**
     * Returns whether the disk is not attached, or its owner is down: a new placement helps at once, a retry does not.
     */
    private static boolean isOutOfReach(CloudMwException cause) {
        return cause.code() == ErrorCode.STORE_UNAVAILABLE && cause.verdict() == RetryVerdict.AFTER_REFRESH;
    }

    private String what(StoreId store) {
        return "chunk=" + request.chunk() + " store=" + store;
    }
}

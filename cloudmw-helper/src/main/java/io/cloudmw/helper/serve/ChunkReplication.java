package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.WriteResult;
import io.cloudmw.core.wire.WriteTrouble;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one chunk to its stores, all at once: answers when the write quorum is durable, goes on with the rest while
 * there is room for that, tries again where that may help, and reports what came late. No writer waits for the owner of a
 * disk to come back: it hears that the quorum cannot be met for now, before it sends anything where that is known. Safe for
 * any thread.
 */
final class ChunkReplication {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkReplication.class);

    /** When a writer that cannot wait for disks should ask for other ones; the coordinator hears of a dead owner in seconds. */
    private static final Duration ANEW_AFTER = Duration.ofMillis(500);

    /** Told how it goes, by any thread: one of {@code durable} and {@code failed}, and {@code finished}, once. */
    interface Listener {
        /** Whether the copies that are missing at the quorum may go on; asked before {@code durable}. */
        boolean mayGoOn();

        void durable(WriteResult result);

        void failed(CloudMwException cause);

        /** The source is not needed any more. */
        void finished();
    }

    private final BulkRequest.Write request;
    private final TransferClaims claims;
    private final StoreResolver stores;
    private final WriteHandler.Surroundings around;
    private final StoreLanes storing;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<StoreId> stored = new ArrayList<>();

    /** Stores the quorum does not count on, with why: they were given up, or are disks that cannot be reached now. */
    @GuardedBy("lock")
    private final Map<StoreId, CloudMwException> lacking = new TreeMap<>();

    /** Stores that do not have the chunk yet although it was tried. */
    @GuardedBy("lock")
    private final Map<StoreId, WriteTrouble> troubles = new TreeMap<>();

    @GuardedBy("lock")
    private int givenUp;

    /** How to take back what waits. */
    @GuardedBy("lock")
    private final Map<StoreId, Runnable> waiting = new HashMap<>();

    @GuardedBy("lock")
    private boolean answered;

    /** Answered that the quorum cannot be met. */
    @GuardedBy("lock")
    private boolean refused;

    @GuardedBy("lock")
    private boolean settled;

    /**
     * Writes nothing before {@link #start}.
     *
     * @param storing runs the puts
     */
    ChunkReplication(
            BulkRequest.Write request,
            TransferClaims claims,
            StoreResolver stores,
            WriteHandler.Surroundings around,
            StoreLanes storing) {
        this.request = request;
        this.claims = claims;
        this.stores = stores;
        this.around = around;
        this.storing = storing;
    }

    /**
     * Says before anything is sent what would fail after it.
     *
     * @throws CloudMwException when so many of the disks are not there, or they or carriers known to be out of reach, that the
     *     quorum cannot be met
     */
    void check() throws CloudMwException {
        synchronized (lock) {
            for (Store store : request.stores()) {
                if (store.kind() instanceof Store.Disk || around.stores().isCarried(request.targets(), store)) {
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

    /** Obstacles to copies that were tried and are missing. */
    List<WriteTrouble> troubles() {
        synchronized (lock) {
            return List.copyOf(troubles.values());
        }
    }

    /** Starts; called once. */
    void start(ChunkSource source, Listener listener) {
        for (Store store : request.stores()) {
            attempt(store.id(), source, listener, 0);
        }
    }

    private void attempt(StoreId store, ChunkSource source, Listener listener, int tried) {
        Runnable put = () -> put(store, source, listener, tried);
        if (!waits(store, () -> storing.remove(store, put))) {
            return;
        }
        try {
            storing.execute(store, put);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            failed(
                    store,
                    new CloudMwException(ErrorCode.OVERLOADED, what(store) + ": too many puts wait", e),
                    source,
                    listener,
                    tried);
        }
    }

    /** Remembers how to take back what is about to wait; false when nothing is to be done any more. */
    private boolean waits(StoreId store, Runnable takeBack) {
        synchronized (lock) {
            if (!settled) {
                waiting.put(store, takeBack);
            }
            return !settled;
        }
    }

    private void put(StoreId store, ChunkSource source, Listener listener, int tried) {
        try {
            stores.open(store).put(request.chunk(), source);
        } catch (CloudMwException e) {
            failed(store, e, source, listener, tried);
            return;
        } catch (RuntimeException | Error e) {
            LOG.error("{}: put failed by a defect", what(store), e);
            failed(store, CloudMwException.ofDefect(what(store), e), source, listener, tried);
            return;
        }
        succeeded(store, listener);
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
                if (!answer.owed().isEmpty() && !listener.mayGoOn()) {
                    drop(listener);
                }
                listener.durable(answer);
            } else if (late) {
                around.ledger().report(claims, new ReplicaReport(request.chunk(), store, ReplicaState.GOOD));
            }
        } finally {
            settle(listener);
        }
    }

    private void failed(StoreId store, CloudMwException cause, ChunkSource source, Listener listener, int tried) {
        synchronized (lock) {
            troubles.put(store, new WriteTrouble(store, cause.code(), String.valueOf(cause.getMessage()), tried + 1));
        }
        if (tried < around.retryDelays().size() && mayHelp(cause) && mayWait(store, cause)) {
            long delay = around.retryDelays().get(tried).toNanos();
            Runnable again = () -> attempt(store, source, listener, tried + 1);
            Optional<Future<?>> later = Threads.later(around.timer(), delay, again);
            if (later.isPresent()) {
                if (!waits(store, () -> later.get().cancel(false))) {
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

    /** Whether a store may be tried again later: not where the writer would wait for a disk that is out of reach. */
    private boolean mayWait(StoreId store, CloudMwException cause) {
        synchronized (lock) {
            if (isOutOfReach(cause)) {
                lacking.put(store, cause);
            }
            return !refused && (answered || hopeful() >= request.writeQuorum());
        }
    }

    /** Stores that have the chunk, or may have it soon. */
    @GuardedBy("lock")
    private int hopeful() {
        return request.stores().size() - lacking.size();
    }

    /** Where it is only for disks that are out of reach the writer is to ask again, for other ones. */
    @GuardedBy("lock")
    private CloudMwException quorumNotMet() {
        long outOfReach =
                lacking.values().stream().filter(ChunkReplication::isOutOfReach).count();
        boolean forNow = hopeful() + outOfReach >= request.writeQuorum();
        CloudMwException why =
                request.stores().size() == 1 ? lacking.values().iterator().next() : tooFew();
        CloudMwException named = why.refusedBy(refusing());
        return forNow ? named.retriedAfter(ANEW_AFTER) : named;
    }

    /** Ids of the stores that refuse the chunk however often it is tried. */
    @GuardedBy("lock")
    private List<String> refusing() {
        return lacking.entrySet().stream()
                .filter(entry -> entry.getValue().isForGood())
                .map(entry -> entry.getKey().value())
                .toList();
    }

    /** Returns whether so many stores refuse for good that the quorum cannot be met however often it is tried. */
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

    /** The message of a store's failure without the chunk's name, which begins the whole message. */
    private String said(CloudMwException cause) {
        String message = String.valueOf(cause.getMessage());
        String chunk = "chunk=" + request.chunk();
        return message.startsWith(chunk) ? message.substring(chunk.length()).replaceFirst("^[ :]+", "") : message;
    }

    /** The failure that all stores without the chunk have in common, where a retry would not help. */
    @GuardedBy("lock")
    private Optional<ErrorCode> reason() {
        List<CloudMwException> causes = List.copyOf(lacking.values());
        ErrorCode first = causes.get(0).code();
        boolean same = causes.stream().allMatch(cause -> cause.code() == first && !mayHelp(cause));
        return same ? Optional.of(first) : Optional.empty();
    }

    /** Leaves the copies that are missing owed, as the answer says they are. */
    private void drop(Listener listener) {
        List<Runnable> takeBack;
        List<StoreId> late;
        synchronized (lock) {
            if (settled) {
                return;
            }
            settled = true;
            takeBack = List.copyOf(waiting.values());
            late = new ArrayList<>(request.stores().stream().map(Store::id).toList());
            late.removeAll(stored);
            waiting.clear();
        }
        trouble(late, "no room for copies that are late; they stay owed");
        takeBack.forEach(Runnable::run);
        listener.finished();
    }

    /** A warning once for each store until it can be written again: it is the same for all chunks meanwhile. */
    private void trouble(List<StoreId> those, String what) {
        for (StoreId store : those) {
            if (storing.failed(store)) {
                LOG.warn("{}: {} (not said again until it can be written)", what(store), what);
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

    /** A disk that is not attached, or whose owner is away, will not be there a moment later: a new placement helps, now. */
    private static boolean isOutOfReach(CloudMwException cause) {
        return cause.code() == ErrorCode.STORE_UNAVAILABLE && cause.verdict() == RetryVerdict.AFTER_REFRESH;
    }

    private String what(StoreId store) {
        return "chunk=" + request.chunk() + " store=" + store;
    }
}

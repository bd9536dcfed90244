package io.cloudmw.helper.switching;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.Upstream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A fetch of adjacent leaves of a chunk, shared by all who want them. One attempt asks the sources of a
 * {@link FetchRoute} one after the other; leaves that came before a source failed are not asked for again. A second
 * attempt runs beside it when a reader says that the first is late. Until an attempt begins, the fetch may wait for the
 * turns of several readers, whichever comes first. Its state is guarded by the lock of {@link SharedFetcher}, which no
 * thread holds while it calls a subscriber.
 */
final class SharedFetch implements FetchAttempt.Listener {
    /** Readers whose turns are waited for at once. */
    private static final int MAX_TURNS = 4;

    private enum State {
        /** No source was asked yet. */
        QUEUED,
        BEGUN,
        /** Every leaf came, or the fetch failed, or its last subscriber left. */
        OVER
    }

    private final SharedFetcher fetcher;
    /** The lock that all fetches of the fetcher share. */
    private final Object lock;

    private final WantedBlock block;
    private final Optional<DiskCache> disk;
    /** The route of the most urgent reader that wanted the leaves before the fetch began. */
    private FetchRoute route;

    /** Order in the trees: a fetch waits for lower ones only. */
    private final int height;

    /** The topmost switch above this one, which reads the store; null when this one does. */
    private final Upstream.@Nullable Parent root;

    private final int firstLeaf;
    private final Set<LeafSubscriber> subscribers = new LinkedHashSet<>();
    private final Map<LeafKey, Leaf> landed = new HashMap<>();
    /** Leaves that the cache has kept, or failed to keep. */
    private final Set<LeafKey> settled = new HashSet<>();

    private final List<FetchAttempt> attempts = new ArrayList<>();
    private State state = State.QUEUED;

    /**
     * Asks no source yet.
     *
     * @param lock the lock of the fetcher
     * @param disk the disk tier; empty when it does not have the leaves
     * @param above switches that are asked before the store
     */
    SharedFetch(
            SharedFetcher fetcher,
            Object lock,
            WantedBlock block,
            FetchRoute.Demand demand,
            Optional<DiskCache> disk,
            Upstream.Above above) {
        this.fetcher = fetcher;
        this.lock = lock;
        this.block = block;
        this.height = above.height();
        this.root = above.parents().stream()
                .min(Comparator.comparingInt(Upstream.Parent::height))
                .orElse(null);
        this.disk = disk;
        this.route = FetchRoute.to(block, demand, disk, above, fetcher);
        this.firstLeaf =
                Math.toIntExact(block.leaves().range().offset() / block.leaves().leafSizeBytes());
    }

    /** The names of its leaves. */
    List<LeafKey> keys() {
        return IntStream.range(0, block.leaves().leaves()).mapToObj(this::key).toList();
    }

    private LeafKey key(int index) {
        return new LeafKey(block.leaves().chunk(), firstLeaf + index);
    }

    /** Returns whether this fetch and a subscriber expect the same leaf {@code key}. */
    boolean agrees(LeafSubscriber subscriber, LeafKey key) {
        int leaf = key.leaf() - firstLeaf;
        return subscriber.expects(
                subscriber.index(key),
                block.leaves().length(leaf),
                block.leaves().crc32c(leaf));
    }

    int height() {
        return height;
    }

    // ---- the caller holds the lock

    void join(LeafSubscriber subscriber) {
        subscribers.add(subscriber);
        subscriber.fetches().add(this);
    }

    /** A leaf that has come, for the caller to release. */
    Optional<Leaf> landed(LeafKey key) {
        return Optional.ofNullable(landed.get(key)).filter(Leaf::retain);
    }

    /** Returns whether a leaf has come and the cache has kept it, or failed to. */
    boolean isSettled(LeafKey key) {
        return settled.contains(key);
    }

    /** Returns whether the last subscriber has left before all leaves came; no subscriber joins the fetch then. */
    boolean leave(LeafSubscriber subscriber) {
        boolean last = subscribers.remove(subscriber)
                && subscribers.isEmpty()
                && firstMissing() < block.leaves().leaves();
        if (last) {
            fetcher.remove(this);
        }
        return last;
    }

    private int firstMissing() {
        int index = 0;
        while (index < block.leaves().leaves() && landed.containsKey(key(index))) {
            index++;
        }
        return index;
    }

    private List<LeafSubscriber> subscribers(boolean waitingForTheCache) {
        return subscribers.stream()
                .filter(subscriber -> subscriber.waitsForTheCache() == waitingForTheCache)
                .toList();
    }

    private List<FetchAttempt> ordinaryBeside(FetchAttempt attempt) {
        return attempts.stream()
                .filter(other -> other != attempt && !other.isExtra())
                .toList();
    }

    /** Returns whether no leaf has come yet, and no extra attempt runs. */
    private boolean isWaiting() {
        return attempts.isEmpty()
                ? state == State.QUEUED
                : attempts.stream().noneMatch(attempt -> attempt.isExtra() || attempt.isBringing());
    }

    /** Returns whether the fetch waits for turns of this requester's class, none of them the requester's own. */
    private boolean isQueuedForOthers(Requester requester) {
        return !attempts.isEmpty()
                && attempts.size() < MAX_TURNS
                && requester.tenant().priority() == route.demand().priority()
                && attempts.stream()
                        .noneMatch(attempt -> attempt.isExtra()
                                || attempt.isChosen()
                                || attempt.isBringing()
                                || attempt.client().equals(requester.tenant().client()));
    }

    // ---- the caller does not hold the lock

    /** Starts to fetch. */
    void begin() {
        FetchRoute first;
        synchronized (lock) {
            first = route;
        }
        start(first, false);
    }

    private void start(FetchRoute at, boolean extra) {
        FetchAttempt attempt;
        synchronized (lock) {
            int missing = firstMissing();
            if (state == State.OVER || missing == block.leaves().leaves()) {
                return;
            }
            attempt = new FetchAttempt(this, missing, at, extra);
            attempts.add(attempt);
        }
        ask(attempt);
    }

    private void ask(FetchAttempt attempt) {
        WantedBlock rest = block.part(attempt.first(), block.leaves().leaves() - attempt.first())
                .asRaced(attempt.isExtra())
                .until(attempt.untilMillis());
        try {
            attempt.started(attempt.source().start(rest, attempt));
        } catch (CloudMwException e) {
            failed(attempt, e, false); // there is no room here: another source would be asked in vain
        } catch (RuntimeException | Error e) {
            attempt.failed(CloudMwException.ofDefect(rest.toString(), e), 0);
        }
    }

    /**
     * Tells a subscriber that joined whether the fetch has begun. A more urgent reader does not wait in the class of
     * the others. For a reader that makes up for a late attempt, the switch that reads the store asks the reader's
     * store, too, unless two attempts run already.
     *
     * @param above switches that the reader would ask before its store
     */
    void help(FetchRoute.Demand demand, Upstream.Above above, LeafSubscriber joined) {
        hurry(demand, above);
        boolean second;
        boolean started;
        synchronized (lock) {
            started = state == State.BEGUN;
            second = joined.block().extra()
                    && !attempts.isEmpty()
                    && attempts.stream()
                            .noneMatch(attempt ->
                                    attempt.isExtra() || attempt.source().isStore(demand.store()));
        }
        if (started) {
            joined.begun();
        }
        if (second) {
            FetchSource source = root == null
                    ? new FetchSource.Store(fetcher, demand)
                    : new FetchSource.Parent(fetcher, root, demand.requester(), block.named(demand.store()));
            start(FetchRoute.only(demand, source), true);
        }
    }

    /**
     * Has a fetch that has not begun wait for another reader's turn. A reader of the same class is one more whose turn
     * may come first; a more urgent one takes the place of all others. A switch above that has sent nothing may not
     * have begun either, and hears of the more urgent reader.
     */
    private void hurry(FetchRoute.Demand demand, Upstream.Above above) {
        FetchAttempt added;
        List<FetchAttempt> before;
        synchronized (lock) {
            boolean urgent = demand.priority().isMoreUrgentThan(route.demand().priority());
            // A fetch waits for lower ones only: otherwise switches could wait for each other.
            if (state == State.OVER
                    || above.height() > height
                    || !(urgent ? isWaiting() : isQueuedForOthers(demand.requester()))) {
                return;
            }
            FetchRoute other = FetchRoute.to(block, demand, disk, above, fetcher);
            if (urgent) {
                route = other;
            }
            if (attempts.isEmpty()) {
                return;
            }
            FetchAttempt first = attempts.get(0);
            before = urgent ? List.copyOf(attempts) : List.of();
            added = new FetchAttempt(this, first.first(), other.at(first.route().position()), false);
            attempts.add(added);
        }
        ask(added);
        replace(before, added);
    }

    /** Cancels the attempts that a more urgent one replaces, or that one when another brings something by now. */
    private void replace(List<FetchAttempt> others, FetchAttempt urgent) {
        cancel(() -> {
            // An attempt that has failed meanwhile replaces none.
            if (!attempts.contains(urgent)) {
                return List.of();
            }
            List<FetchAttempt> left = others.stream().filter(attempts::contains).toList();
            return left.stream().anyMatch(FetchAttempt::isBringing) ? List.of(urgent) : left;
        });
    }

    /** Cancels the attempts that {@code useless} chooses with the lock held. */
    private void cancel(Supplier<List<FetchAttempt>> useless) {
        List<FetchAttempt> cancelled;
        synchronized (lock) {
            cancelled = useless.get();
            attempts.removeAll(cancelled);
        }
        cancelled.forEach(FetchAttempt::cancel);
    }

    /**
     * Cancels the other attempts when the turn of this one came first; an attempt that brings something goes on
     * instead.
     */
    private void choose(FetchAttempt attempt) {
        cancel(() -> {
            if (attempt.isExtra() || !attempts.contains(attempt)) {
                return List.of();
            }
            List<FetchAttempt> others = ordinaryBeside(attempt);
            if (others.stream().anyMatch(other -> other.isChosen() && other.isBringing())) {
                return List.of(attempt);
            }
            attempt.choose();
            // A more urgent attempt has just joined, and will replace this one.
            return others.stream()
                    .filter(other -> !other.priority().isMoreUrgentThan(attempt.priority()))
                    .toList();
        });
    }

    /** Cancels what still fetches, and releases the leaves that came. */
    void end() {
        List<Leaf> leaves;
        List<FetchAttempt> running;
        synchronized (lock) {
            state = State.OVER;
            fetcher.remove(this);
            leaves = List.copyOf(landed.values());
            landed.clear();
            running = List.copyOf(attempts);
            attempts.clear();
        }
        leaves.forEach(Leaf::release);
        running.forEach(FetchAttempt::cancel);
    }

    /** Sees to it that no other attempt asks the same source for the same leaves. */
    @Override
    public boolean turnCame(FetchAttempt attempt) {
        choose(attempt);
        synchronized (lock) {
            return attempts.contains(attempt);
        }
    }

    @Override
    public void began(FetchAttempt attempt) {
        if (attempt.isBringing()) {
            choose(attempt);
        }
        List<LeafSubscriber> waiting;
        synchronized (lock) {
            if (state == State.QUEUED) {
                state = State.BEGUN;
            }
            waiting = List.copyOf(subscribers);
        }
        waiting.forEach(LeafSubscriber::begun);
    }

    /** Gives a leaf to readers, has the cache keep it, then gives it to those that wait for the cache. */
    @Override
    public void land(FetchAttempt attempt, int index, Leaf leaf) {
        LeafKey key = key(index);
        boolean wanted;
        List<LeafSubscriber> waiting;
        synchronized (lock) {
            wanted = state != State.OVER && !landed.containsKey(key) && leaf.retain();
            if (wanted) {
                landed.put(key, leaf);
            }
            waiting = subscribers(false);
        }
        try {
            if (wanted) {
                give(attempt, key, leaf, waiting);
                fetcher.cache().remember(key, leaf);
                attempt.source().keep(key, leaf);
                synchronized (lock) {
                    settled.add(key);
                    waiting = subscribers(true);
                }
                give(attempt, key, leaf, waiting);
            }
        } finally {
            leaf.release();
        }
        endIfWhole(attempt);
    }

    private static void give(FetchAttempt attempt, LeafKey key, Leaf leaf, List<LeafSubscriber> waiting) {
        for (LeafSubscriber subscriber : waiting) {
            if (leaf.retain()) {
                subscriber.arrived(subscriber.index(key), leaf, attempt.source());
                subscriber.tell();
            }
        }
    }

    /** Ends the fetch when every leaf has come; the attempt that brought the last one ends by itself. */
    private void endIfWhole(FetchAttempt attempt) {
        boolean whole;
        synchronized (lock) {
            whole = state != State.OVER && firstMissing() == block.leaves().leaves();
            if (whole) {
                attempts.remove(attempt);
            }
        }
        if (whole) {
            end();
        }
    }

    /**
     * Asks the next source; without one, the subscribers hear of the failure, and the next reader begins a new fetch.
     */
    @Override
    public void failed(FetchAttempt attempt, CloudMwException cause, boolean asked) {
        if (asked && !attempt.isExtra()) {
            cancelWaitingBeside(attempt);
        }
        LeafKey failed = key(Math.min(attempt.next(), block.leaves().leaves() - 1));
        attempt.source().failed(failed, cause);
        boolean fallsBack = asked && attempt.source().fallsBackAfter(cause);
        List<LeafSubscriber> waiting;
        synchronized (lock) {
            boolean last = attempts.remove(attempt) && attempts.isEmpty() && state != State.OVER;
            if (!last) {
                return;
            }
            waiting = List.copyOf(subscribers);
            if (!fallsBack) {
                // Done in the same step: a reader that joined between the two would never be told.
                state = State.OVER;
                fetcher.remove(this);
            }
        }
        if (fallsBack) {
            attempt.source().fellBack();
            fallBack(attempt, cause);
        } else {
            end();
            waiting.forEach(subscriber -> subscriber.failed(
                    attempt.source().blames(subscriber.store()) && agrees(subscriber, failed)
                            ? cause
                            : withoutBlame(cause)));
        }
    }

    /** Cancels the attempts that wait for other turns: the same source would fail for them, too. */
    private void cancelWaitingBeside(FetchAttempt attempt) {
        cancel(() -> attempts.contains(attempt)
                ? ordinaryBeside(attempt).stream()
                        .filter(other -> !other.isBringing())
                        .toList()
                : List.of());
    }

    /** Asks the next source of the attempt's route; the store when no other source is worth asking. */
    private void fallBack(FetchAttempt attempt, CloudMwException cause) {
        FetchRoute next;
        if (attempt.isExtra() || attempt.source().leavesOnlyTheStore(cause)) {
            synchronized (lock) {
                next = route.last();
            }
        } else {
            next = attempt.route().next();
        }
        start(next, false);
    }

    /** The failure as seen by a subscriber that named another store, or expects another leaf: its copy is not bad. */
    private static CloudMwException withoutBlame(CloudMwException cause) {
        return cause.code().isOfReplica()
                ? new CloudMwException(ErrorCode.STORE_UNAVAILABLE, String.valueOf(cause.getMessage()), cause)
                : cause;
    }
}

package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.RetiredVersion;
import io.cloudmw.coordinator.catalog.UpkeepRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.order.RoundOrders;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.collect.CollectProgress;
import io.cloudmw.core.upkeep.collect.CollectRound;
import io.cloudmw.core.upkeep.collect.CopyTotal;
import io.cloudmw.core.upkeep.collect.OrderedRound;
import io.cloudmw.core.upkeep.collect.SurveyEstimate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Has copies deleted that nothing names: what crashed uploads, removed and replaced versions, and copies that were given up or failed
 * left in stores. In rounds: helpers list what lies in the stores, a page at a time, and what of it nobody names ({@link Naming})
 * is recorded as {@code DROPPED}, with the time by {@link UpkeepClock}. What a later round finds so still, when that is longer ago than any token
 * lasts and clocks may differ, is deleted, after the catalog was asked once more and the lease shown when the task is handed
 * out. Only what this catalog has given up is: what it knows nothing of may be another cluster's, or its own of before a backup of
 * it was put back, and stays; and so does a copy of a chunk that is named, unless upkeep itself has dropped it. Retired versions of
 * which a round through all stores has seen nothing are forgotten; so is what a forgetting that was cut off has left. {@link #step}
 * and {@link #look} are called by one thread, the rest by any.
 */
final class Collector {
    static final String NOTE = "collect";

    /** One task deletes no more, and one step judges no more; of so many versions at most, for each of which the catalog is asked. */
    static final int MOST_CHUNKS = 100;

    private static final int MOST_VERSIONS = 16;
    private static final int PAGE = 100;

    /** Copies at once of which it is remembered that they may be being deleted; more deletions wait. */
    private static final int MOST_REMEMBERED = 200_000;

    private final Catalog catalog;
    private final Lease lease;
    private final WorkQueue queue;
    private final Naming naming;
    private final Judge judge;
    private final Ticker ticker;
    private final WallClock clock;
    private final UpkeepClock age;
    private final long graceMillis;
    private final UpkeepOptions options;

    private Map<StoreId, StoreCondition> stores = Map.of();
    private long begunMillis = -1;

    /** Where the listing of each store is that is not at its end; of the round under way. */
    private final Map<StoreId, String> open = new TreeMap<>();

    /** The page that is being judged, if any; how many of its chunks have been, and which of them may be deleted. */
    private Optional<Listed> judging = Optional.empty();

    private int judged;
    private final List<ChunkId> deletable = new ArrayList<>();
    private final Deque<Task.Delete> doomed = new ArrayDeque<>();

    /** Retired versions of which the round has seen something. */
    private final SeenVersions seen = new SeenVersions();

    private final SurveyEstimate estimate = new SurveyEstimate();

    /** Whether the round has looked through all stores there are: what it has not seen may lie in another. */
    private boolean complete;

    /** Retired versions that are to be forgotten, and where the list of them goes on; empty: nowhere. */
    private final Deque<VersionId> forgotten = new ArrayDeque<>();

    private Optional<String> forgetting = Optional.empty();

    @GuardedBy("this")
    private final Deque<Listed> listed = new ArrayDeque<>();

    @GuardedBy("this")
    private final Set<Task> outstanding = new LinkedHashSet<>();

    /** Copies that a helper may still be about to delete, and until when. */
    @GuardedBy("this")
    private final Map<String, Long> mayBeDeleted = new HashMap<>();

    @GuardedBy("this")
    private final RoundOrders orders = new RoundOrders();

    /** True when the round under way is done for orders alone: it ends with the last of them. */
    @GuardedBy("this")
    private boolean onlyOrdered;

    @GuardedBy("this")
    private CollectProgress progress = CollectProgress.NONE;

    /** A page of what lies in a store. */
    private record Listed(Store store, Page<StoredChunk> page) {}

    /**
     * Collects nothing before its time.
     *
     * @param lease what it is done under; renewed elsewhere
     * @param graceMillis for so long, by {@code age}, a copy must have been without a name
     */
    Collector(
            Catalog catalog,
            Lease lease,
            WorkQueue queue,
            UpkeepClock age,
            UpkeepOptions options,
            long graceMillis,
            Ticker ticker,
            WallClock clock) {
        this.catalog = catalog;
        this.lease = lease;
        this.queue = queue;
        this.naming = new Naming(catalog);
        this.judge = new Judge(catalog, naming, queue, age, graceMillis);
        this.age = age;
        this.ticker = ticker;
        this.clock = clock;
        this.graceMillis = graceMillis;
        this.options = options;
    }

    /** Takes note of how the stores are, and of what the queue has given up. */
    void look(Map<StoreId, StoreCondition> now) {
        // Copies in stores that were declared lost are gone: no round waits for them.
        stores = now.entrySet().stream()
                .filter(entry -> !entry.getValue().candidate().store().isLost())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        List<Task> lost = new ArrayList<>();
        synchronized (this) {
            outstanding.removeIf(task -> {
                boolean gone = !queue.contains(task.keys().get(0));
                if (gone) {
                    lost.add(task);
                }
                return gone;
            });
            mayBeDeleted.values().removeIf(until -> ticker.nanos() - until >= 0);
        }
        lost.forEach(this::givenUp);
    }

    private void givenUp(Task task) {
        change(round -> round.failed(1));
        if (task instanceof Task.Survey) {
            closeStore(task.store().id());
            complete = false;
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        if (isToEnd()) {
            endEarly();
            return false;
        }
        if (!progress().underWay()) {
            return begin();
        }
        if (!offerDoomed()) {
            return false;
        }
        if (judging.isEmpty()) {
            judging = nextListed();
            judging.ifPresent(found -> estimate.listed(found.store().id(), found.page()));
            change(round -> round.expecting(estimate.total()));
        }
        if (judging.isPresent()) {
            judgeSome(judging.get());
            return true;
        }
        open.keySet().stream()
                .filter(store -> !stores.containsKey(store))
                .toList()
                .forEach(this::closeStore);
        for (Map.Entry<StoreId, String> place : open.entrySet()) {
            survey(place.getKey(), place.getValue());
        }
        if (!open.isEmpty() || isBusy()) {
            return false;
        }
        return forgetOne();
    }

    private boolean begin() throws CloudMwException {
        long now = clock.millis();
        if (begunMillis < 0) {
            String noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "");
            begunMillis = noted.isEmpty() ? now : Long.parseLong(noted);
        }
        Optional<Boolean> asked = asked();
        boolean due = options.collects()
                && now - begunMillis >= options.collectEvery().toMillis();
        if (asked.isEmpty() && !due) {
            return false;
        }
        boolean dry = asked.orElse(false);
        if (!dry) {
            catalog.notes().put(lease, NOTE, Long.toString(now));
            begunMillis = now;
        }
        seen.clear();
        forgotten.clear();
        forgetting = Optional.of("");
        long away = 0;
        for (StoreCondition store : stores.values()) {
            if (store.available()) {
                open.put(store.id(), "");
            } else {
                away++;
            }
        }
        complete = away == 0;
        estimate.begin(open.keySet());
        start(CollectRound.began(dry, now, open.size()).failed(away), dry || !due);
        return true;
    }

    /** Not if a round that is not dry was ordered meanwhile: then it begins anew. */
    private synchronized void start(CollectRound round, boolean forOrders) {
        if (round.dry() && asked().equals(Optional.of(false))) {
            open.clear();
            return;
        }
        onlyOrdered = forOrders;
        progress = new CollectProgress(progress.rounds(), true, round, progress.last());
    }

    /** True when all orders of the next round, or of the one under way, want it dry; empty without an order. */
    private synchronized Optional<Boolean> asked() {
        return orders.dry(progress.rounds() + 1);
    }

    private synchronized void over() {
        orders.end(progress.rounds() + 1, progress.now());
        progress = new CollectProgress(progress.rounds() + 1, false, CollectRound.NONE, progress.now());
    }

    private void closeStore(StoreId store) {
        if (open.remove(store) != null) {
            estimate.ended(store);
            change(round -> round.storeDone().expecting(estimate.total()));
        }
    }

    private synchronized boolean isToEnd() {
        return progress.underWay() && onlyOrdered && asked().isEmpty();
    }

    /** Ends the round with its findings so far. Helpers may still delete the copies that they were told to. */
    private void endEarly() {
        open.clear();
        doomed.clear();
        deletable.clear();
        judging = Optional.empty();
        judged = 0;
        synchronized (this) {
            outstanding.stream()
                    .filter(task -> task instanceof Task.Survey)
                    .forEach(task -> task.keys().forEach(queue::withdraw));
            outstanding.removeIf(task -> task instanceof Task.Survey);
            listed.clear();
            over();
        }
    }

    /** Withdraws an order; a round that is done for orders alone ends with the last of them. Nothing when it is over. */
    synchronized void end(UUID order) {
        orders.withdraw(order, progress);
    }

    /**
     * How far an order is.
     *
     * @throws CloudMwException {@code NOT_FOUND} when it is not known here
     */
    synchronized OrderedRound find(UUID order) throws CloudMwException {
        return orders.find(order, progress);
    }

    /**
     * Asks for a round as soon as none is under way. The same order again asks for the same round.
     *
     * @param order chosen by the client
     * @param dry nothing is to be marked or deleted
     * @return the number of that round
     * @throws CloudMwException {@code INVALID_ARGUMENT} when collection is turned off, and it is not dry; as
     *     {@link RoundOrders#add}
     */
    synchronized long order(UUID order, boolean dry) throws CloudMwException {
        if (!dry && !options.collects()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "garbage collection is turned off (expected: coordinator.collect = true, or a dry run)");
        }
        return orders.add(order, dry, progress.rounds() + (progress.underWay() ? 2 : 1));
    }

    /** Orders a round that deletes, by upkeep itself; upkeep may do so again and again until the round begins. */
    synchronized void orderUnlessOrdered() throws CloudMwException {
        if (!asked().equals(Optional.of(false))) {
            long unused = order(UUID.randomUUID(), false);
        }
    }

    private synchronized Optional<Listed> nextListed() {
        return Optional.ofNullable(listed.poll());
    }

    private synchronized boolean isBusy() {
        return !outstanding.isEmpty() || !listed.isEmpty();
    }

    /** A store's pages are asked for one after the other, each when the one before it was judged. */
    private synchronized void survey(StoreId id, String after) {
        StoreCondition store = stores.get(id);
        boolean judged = listed.stream().noneMatch(page -> page.store().id().equals(id));
        if (store != null && judged) {
            Task.Survey task = new Task.Survey(store.candidate().store(), after);
            if (!outstanding.contains(task) && queue.offer(task)) {
                outstanding.add(task);
            }
        }
    }

    /**
     * A helper has listed a page.
     *
     * @param done takes the task out of the queue
     */
    synchronized void surveyed(Task.Survey task, Page<StoredChunk> page, Runnable done) {
        done.run();
        if (outstanding.remove(task)) {
            listed.add(new Listed(task.store(), page));
        }
    }

    private boolean offerDoomed() {
        while (!doomed.isEmpty()) {
            Task.Delete task = doomed.element();
            synchronized (this) {
                if (mayBeDeleted.size() >= MOST_REMEMBERED || !queue.offer(task)) {
                    return false;
                }
                outstanding.add(task);
            }
            doomed.remove();
        }
        return true;
    }

    /**
     * Has copies deleted that have been marked for long enough, whether they are there or not: rounds find only what is there, and
     * what is not stays marked. Outside of rounds, too; what the queue has no room for is to be asked for again.
     */
    void delete(Store store, List<ReplicaRecord> marks) {
        List<ChunkId> left = marks.stream()
                .filter(judge::isOld)
                .map(ReplicaRecord::chunk)
                .filter(chunk -> !queue.contains(Task.copy(chunk, store.id())))
                .distinct()
                .toList();
        while (!left.isEmpty()) {
            List<ChunkId> some = first(left);
            Task.Delete task = new Task.Delete(store, some);
            synchronized (this) {
                if (mayBeDeleted.size() >= MOST_REMEMBERED || !queue.offer(task)) {
                    return;
                }
                outstanding.add(task);
            }
            left = left.subList(some.size(), left.size());
        }
    }

    /** So many from the beginning as one step judges, or one task deletes. */
    private static List<ChunkId> first(List<ChunkId> chunks) {
        Set<VersionId> versions = new HashSet<>();
        int end = 0;
        while (end < Math.min(chunks.size(), MOST_CHUNKS)) {
            versions.add(chunks.get(end).version());
            if (versions.size() > MOST_VERSIONS) {
                break;
            }
            end++;
        }
        return chunks.subList(0, end);
    }

    /** Some of a page, so that helpers are heard and the lease is kept meanwhile, however slow the catalog is. */
    private void judgeSome(Listed found) throws CloudMwException {
        List<StoredChunk> items = found.page().items();
        List<ChunkId> left = items.stream().skip(judged).map(StoredChunk::id).toList();
        List<StoredChunk> some = items.subList(judged, judged + first(left).size());
        Judge.Verdict verdict = judge.judge(found.store().id(), some);
        if (!progress().now().dry()) {
            settle(verdict.young());
            deletable.addAll(verdict.old());
        }
        verdict.retired().forEach(seen::add);
        change(verdict::in);
        judged += some.size();
        if (judged == items.size()) {
            judgedAll(found);
        }
    }

    private void judgedAll(Listed found) {
        StoreId store = found.store().id();
        List<ChunkId> left = deletable;
        while (!left.isEmpty()) {
            List<ChunkId> task = first(left);
            doomed.add(new Task.Delete(found.store(), task));
            left = left.subList(task.size(), left.size());
        }
        if (found.page().isLast()) {
            closeStore(store);
        } else {
            open.put(store, found.page().nextToken());
        }
        deletable.clear();
        judging = Optional.empty();
        judged = 0;
    }

    private void settle(List<ReplicaRecord> records) throws CloudMwException {
        for (int from = 0; from < records.size(); from += UpkeepRecords.MAX_SETTLED) {
            catalog.settle(lease, records.subList(from, Math.min(records.size(), from + UpkeepRecords.MAX_SETTLED)));
        }
    }

    /**
     * Asks the catalog once more, when a helper is about to be told: whether nobody names any of these copies, and the lease
     * holds.
     *
     * @throws CloudMwException {@code LEASE_LOST}
     */
    boolean confirm(Task.Delete task) throws CloudMwException {
        StoreId store = task.store().id();
        Optional<List<ReplicaRecord>> marks = judge.marksOfOld(store, task.chunks());
        if (marks.isEmpty()) {
            forget(task);
            return false;
        }
        synchronized (this) {
            long until = ticker.nanos() + options.deletesEndAfter(task.store()).toNanos();
            task.keys().forEach(copy -> mayBeDeleted.put(copy, until));
        }
        settle(marks.get());
        return true;
    }

    private synchronized void forget(Task task) {
        outstanding.remove(task);
    }

    /** Whether a helper may still be about to delete a copy: then none is to be made there. */
    synchronized boolean mayBeDeleted(ChunkId chunk, StoreId store) {
        return mayBeDeleted.containsKey(Task.copy(chunk, store));
    }

    /**
     * A helper has deleted what it was told to.
     *
     * @param done takes the task out of the queue
     */
    void deleted(Task.Delete task, long bytes, Runnable done) throws CloudMwException {
        List<ReplicaRecord> gone = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some :
                Naming.byVersion(task.chunks()).entrySet()) {
            // A manifest may name this place, whoever wrote the chunk: that there is nothing must stay known as long as
            // it is kept.
            Set<ChunkId> named = naming.named(some.getKey(), some.getValue());
            for (ChunkId chunk : some.getValue()) {
                ReplicaState state = named.contains(chunk) ? ReplicaState.GONE : ReplicaState.GOOD;
                gone.add(new ReplicaRecord(chunk, task.store().id(), state, age.millis()));
            }
        }
        settle(gone);
        synchronized (this) {
            outstanding.remove(task);
            done.run();
        }
        change(round -> round.deleted(new CopyTotal(task.chunks().size(), bytes)));
    }

    /** Of the retired versions, one of which this round has seen nothing; after the last the round is over. */
    private boolean forgetOne() throws CloudMwException {
        CollectRound round = progress().now();
        if (round.dry() || !complete || (forgotten.isEmpty() && forgetting.isEmpty())) {
            over();
            return false;
        }
        if (forgotten.isEmpty()) {
            Page<RetiredVersion> page = catalog.retired(forgetting.orElse(""), PAGE);
            for (RetiredVersion version : page.items()) {
                boolean before = version.retiredAtMillis() + graceMillis < round.beganMillis();
                if (before && !seen.mayHave(version.id())) {
                    forgotten.add(version.id());
                }
            }
            forgetting = page.isLast() ? Optional.empty() : Optional.of(page.nextToken());
            return true;
        }
        catalog.forget(lease, forgotten.element());
        forgotten.remove();
        change(counted -> counted.forgot(1));
        return true;
    }

    synchronized CollectProgress progress() {
        return progress;
    }

    private synchronized void change(UnaryOperator<CollectRound> change) {
        if (!progress.underWay()) {
            return; // what a round that was ended has left with helpers
        }
        progress = new CollectProgress(
                progress.rounds(), progress.underWay(), change.apply(progress.now()), progress.last());
    }
}

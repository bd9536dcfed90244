package io.cloudmw.core.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.catalog.RetiredVersion;
import io.cloudmw.core.catalog.UpkeepRecords;
import io.cloudmw.core.catalog.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.ReplicaRecord;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.task.CollectProgress;
import io.cloudmw.core.upkeep.task.CollectRound;
import io.cloudmw.core.upkeep.task.StoreCondition;
import io.cloudmw.core.upkeep.task.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

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

    /** One task deletes no more. */
    static final int MOST_DELETED = 100;

    /** Copies at once of which it is remembered that they may be being deleted; more deletions wait. */
    private static final int MOST_REMEMBERED = 200_000;

    private static final long AHEAD_MILLIS = 60_000;

    private final Catalog catalog;
    private final Lease lease;
    private final WorkQueue queue;
    private final Naming naming;
    private final Ticker ticker;
    private final WallClock clock;
    private final UpkeepClock age;
    private final long graceMillis;
    private final UpkeepOptions options;

    private Map<StoreId, StoreCondition> stores = Map.of();
    private long begunMillis = -1;

    /** Where the listing of each store is that is not at its end; of the round under way. */
    private final Map<StoreId, String> open = new TreeMap<>();

    private final Deque<Task.Delete> doomed = new ArrayDeque<>();

    /** Retired versions of which the round has seen something. */
    private final SeenVersions seen = new SeenVersions();

    /** Whether the round has looked through all stores there are: what it has not seen may lie in another. */
    private boolean complete;

    private String forgetting = "";

    @GuardedBy("this")
    private final Deque<Listed> listed = new ArrayDeque<>();

    @GuardedBy("this")
    private final Set<Task> outstanding = new LinkedHashSet<>();

    /** Copies that a helper may still be about to delete, and until when. */
    @GuardedBy("this")
    private final Map<String, Long> mayBeDeleted = new HashMap<>();

    @GuardedBy("this")
    private Optional<Boolean> ordered = Optional.empty();

    @GuardedBy("this")
    private CollectProgress progress = CollectProgress.NONE;

    /** A page of what lies in a store. */
    private record Listed(Store store, Page<ChunkId> page) {}

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
        this.age = age;
        this.ticker = ticker;
        this.clock = clock;
        this.graceMillis = graceMillis;
        this.options = options;
    }

    /** Takes note of how the stores are, and of what the queue has given up. */
    void look(Map<StoreId, StoreCondition> now) {
        stores = now;
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
            open.remove(task.store().id());
            complete = false;
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        if (!progress().underWay()) {
            return begin();
        }
        if (!offerDoomed()) {
            return false;
        }
        Optional<Listed> page = nextListed();
        if (page.isPresent()) {
            judge(page.get());
            return true;
        }
        open.keySet().removeIf(store -> !stores.containsKey(store));
        for (Map.Entry<StoreId, String> place : open.entrySet()) {
            survey(place.getKey(), place.getValue());
        }
        if (!open.isEmpty() || isBusy()) {
            return false;
        }
        return forgetSome();
    }

    private boolean begin() throws CloudMwException {
        long now = clock.millis();
        if (begunMillis < 0) {
            String noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "");
            begunMillis = noted.isEmpty() ? now : Long.parseLong(noted);
        }
        Optional<Boolean> asked = takeOrder();
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
        forgetting = "";
        long away = 0;
        for (StoreCondition store : stores.values()) {
            if (store.available()) {
                open.put(store.id(), "");
            } else {
                away++;
            }
        }
        complete = away == 0;
        CollectRound round = CollectRound.began(dry, now).failed(away);
        synchronized (this) {
            progress = new CollectProgress(progress.rounds(), true, round, progress.last());
        }
        return true;
    }

    private synchronized Optional<Boolean> takeOrder() {
        Optional<Boolean> asked = ordered;
        ordered = Optional.empty();
        return asked;
    }

    /**
     * Asks for a round as soon as none is under way.
     *
     * @param dry nothing is to be marked or deleted
     * @return the number of that round
     * @throws CloudMwException {@code INVALID_ARGUMENT} when collection is turned off, and it is not dry
     */
    synchronized long order(boolean dry) throws CloudMwException {
        if (!dry && !options.collects()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "garbage collection is turned off (expected: coordinator.collect = true, or a dry run)");
        }
        ordered = Optional.of(dry && ordered.orElse(true));
        return progress.rounds() + (progress.underWay() ? 2 : 1);
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
    synchronized void surveyed(Task.Survey task, Page<ChunkId> page, Runnable done) {
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

    private static Map<VersionId, Set<ChunkId>> byVersion(List<ChunkId> chunks) {
        Map<VersionId, Set<ChunkId>> byVersion = new LinkedHashMap<>();
        for (ChunkId chunk : chunks) {
            byVersion
                    .computeIfAbsent(chunk.version(), ignored -> new LinkedHashSet<>())
                    .add(chunk);
        }
        return byVersion;
    }

    private void judge(Listed found) throws CloudMwException {
        StoreId store = found.store().id();
        List<ChunkId> old = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some :
                byVersion(found.page().items()).entrySet()) {
            old.addAll(judge(store, some.getKey(), some.getValue()));
        }
        for (int from = 0; from < old.size(); from += MOST_DELETED) {
            doomed.add(new Task.Delete(found.store(), old.subList(from, Math.min(old.size(), from + MOST_DELETED))));
        }
        if (found.page().isLast()) {
            open.remove(store);
        } else {
            open.put(store, found.page().nextToken());
        }
    }

    /** Those of one version's chunks in a store that may be deleted; the others that nobody names are marked. */
    private List<ChunkId> judge(StoreId store, VersionId version, Set<ChunkId> chunks) throws CloudMwException {
        boolean dry = progress().now().dry();
        Optional<VersionState> state = catalog.state(version);
        if (state.isEmpty()) {
            change(round -> round.unknown(chunks.size()));
            return List.of();
        }
        Set<ChunkId> unnamed = naming.unnamed(store, version, chunks);
        if (state.get() == VersionState.RETIRED && !unnamed.isEmpty()) {
            seen.add(version);
        }
        Map<ChunkId, ReplicaRecord> marks = marks(store, version, unnamed);
        Set<ChunkId> named = naming.named(version, unnamed);
        List<ChunkId> old = new ArrayList<>();
        List<ReplicaRecord> young = new ArrayList<>();
        for (ChunkId chunk : unnamed) {
            ReplicaRecord mark = marks.get(chunk);
            if (mark == null && named.contains(chunk)) {
                // Upkeep made it and could not say so, or is about to: it goes with the last version that names the
                // chunk.
                continue;
            }
            if (mark == null) {
                young.add(new ReplicaRecord(chunk, store, ReplicaState.DROPPED, age.millis()));
            } else if (isOld(mark) && !queue.contains(Task.copy(chunk, store))) {
                old.add(chunk);
            }
        }
        if (!dry) {
            settle(young);
        }
        long waiting = (long) young.size() + marks.size() - old.size();
        change(round -> round.found(chunks.size(), waiting + old.size(), waiting));
        return dry ? List.of() : old;
    }

    /** Since when it is known that nobody names these copies. */
    private Map<ChunkId, ReplicaRecord> marks(StoreId store, VersionId version, Set<ChunkId> chunks)
            throws CloudMwException {
        Map<ChunkId, ReplicaRecord> marks = new HashMap<>();
        if (chunks.isEmpty()) {
            return marks;
        }
        long first = chunks.stream().mapToLong(ChunkId::index).min().orElseThrow();
        long last = chunks.stream().mapToLong(ChunkId::index).max().orElseThrow();
        for (ReplicaRecord record : catalog.records(version, first, last + 1)) {
            boolean dropped =
                    record.state() == ReplicaState.DROPPED && record.store().equals(store);
            // What is far ahead was noted by another clock.
            if (dropped && record.sinceMillis() <= age.millis() + AHEAD_MILLIS) {
                marks.put(record.chunk(), record);
            }
        }
        return marks;
    }

    private boolean isOld(ReplicaRecord mark) {
        return age.millis() - mark.sinceMillis() >= graceMillis;
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
        List<ReplicaRecord> same = new ArrayList<>();
        for (Map.Entry<VersionId, Set<ChunkId>> some : byVersion(task.chunks()).entrySet()) {
            Set<ChunkId> chunks = some.getValue();
            Map<ChunkId, ReplicaRecord> marks = marks(store, some.getKey(), chunks);
            boolean old =
                    marks.size() == chunks.size() && marks.values().stream().allMatch(this::isOld);
            if (!old || !naming.unnamed(store, some.getKey(), chunks).equals(chunks)) {
                forget(task);
                return false;
            }
            same.addAll(marks.values());
        }
        synchronized (this) {
            long until = ticker.nanos() + options.deletesEndAfter(task.store()).toNanos();
            task.keys().forEach(copy -> mayBeDeleted.put(copy, until));
        }
        settle(same);
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
        for (Map.Entry<VersionId, Set<ChunkId>> some : byVersion(task.chunks()).entrySet()) {
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
        change(round -> round.deleted(task.chunks().size(), bytes));
    }

    /** A page of retired versions: those of which this round has seen nothing. */
    private boolean forgetSome() throws CloudMwException {
        CollectRound round = progress().now();
        boolean last = true;
        if (!round.dry() && complete) {
            Page<RetiredVersion> page = catalog.retired(forgetting, 100);
            for (RetiredVersion version : page.items()) {
                boolean before = version.retiredAtMillis() + graceMillis < round.beganMillis();
                if (before && !seen.mayHave(version.id())) {
                    catalog.forget(lease, version.id());
                    change(counted -> counted.forgot(1));
                }
            }
            forgetting = page.nextToken();
            last = page.isLast();
        }
        if (last) {
            synchronized (this) {
                progress = new CollectProgress(progress.rounds() + 1, false, CollectRound.NONE, progress.now());
            }
        }
        return !last;
    }

    synchronized CollectProgress progress() {
        return progress;
    }

    private synchronized void change(UnaryOperator<CollectRound> change) {
        progress = new CollectProgress(
                progress.rounds(), progress.underWay(), change.apply(progress.now()), progress.last());
    }
}

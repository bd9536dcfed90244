package io.cloudmw.coordinator.upkeep.collect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.compact.PackCompaction;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The collector of unreferenced copies, which crashed uploads, removed and replaced versions, and dropped or failed copies
 * leave in stores. A round first retires packs without files and compacts others; then helpers list the stores page by page. Unreferenced copies ({@link ReferencedCopies}) are
 * recorded as {@code DROPPED}, with the time by upkeep's clock. A later round deletes a copy that is still marked when the
 * mark is older than any token plus the clock skew. The catalog and the lease are checked again when the task is assigned.
 *
 * <p>Only copies that this catalog has given up are deleted. A copy of an unknown version stays: it may belong to another
 * cluster, or to this one before a backup was restored. A copy of a referenced chunk stays unless upkeep itself dropped it.
 * A retired version is forgotten when a round through all stores has seen no copy of it, and none for which it is the
 * last to share the chunk; an interrupted forgetting is completed. {@link #step} and {@link #look} are called by one
 * thread, other methods by any.
 */
public final class GarbageCollector {
    static final String NOTE = "collect";

    private final UpkeepContext context;
    private final TaskQueue queue;
    private final GarbageClassifier classifier;
    private final CollectionRounds rounds;
    private final PendingDeletions deletions;
    private final PackRetirement packs;
    private final PackCompaction compaction;
    private final VersionForgetting forgetting;
    private final StoreListings listings = new StoreListings();

    private Map<StoreId, StoreCondition> stores = Map.of();
    private long begunMillis = -1;

    /** The page that is being classified, if any. */
    private Optional<ClassifiedPage> page = Optional.empty();

    /** The deletions that do not yet fit into the queue. */
    private final Deque<Task.Delete> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<ClassifiedPage> listed = new ArrayDeque<>();

    @GuardedBy("this")
    private final Set<Task> outstanding = new LinkedHashSet<>();

    /** Creates a collector; the first round begins when it is due. */
    public GarbageCollector(UpkeepContext context, TaskQueue queue) {
        this.context = context;
        this.queue = queue;
        this.classifier = new GarbageClassifier(context, queue);
        this.rounds = new CollectionRounds(context.options().collects());
        this.deletions = new PendingDeletions(context.ticker());
        this.packs = new PackRetirement(context);
        this.compaction = new PackCompaction(context, queue, packs -> rounds.count(round -> round.compacted(packs)));
        this.forgetting = new VersionForgetting(context);
    }

    /** Takes the present conditions of the stores, and the tasks that the queue dropped. */
    public void look(Map<StoreId, StoreCondition> now) {
        // Copies in stores that were declared lost are gone: no round waits for them.
        stores = now.entrySet().stream()
                .filter(entry -> !entry.getValue().candidate().store().isLost())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        compaction.look(stores);
        deletions.expire();
        takeDropped().forEach(this::dropped);
    }

    private synchronized List<Task> takeDropped() {
        List<Task> dropped = outstanding.stream()
                .filter(task -> !queue.contains(task.keys().get(0)))
                .toList();
        dropped.forEach(outstanding::remove);
        return dropped;
    }

    private void dropped(Task task) {
        rounds.count(round -> round.failed(1));
        if (task instanceof Task.Survey) {
            closeStore(task.store().id());
            forgetting.storeMissed();
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
        if (rounds.isToEnd()) {
            endEarly();
            return false;
        }
        if (!progress().underWay()) {
            return begin();
        }
        if (packs.step() || compaction.step()) {
            return true;
        }
        if (compaction.isBusy()) {
            return false;
        }
        if (!offerWaiting()) {
            return false;
        }
        if (page.isEmpty()) {
            page = nextListed();
            page.ifPresent(next -> listings.listed(next.store(), next.page()));
            rounds.count(round -> round.expecting(listings.expected()));
        }
        if (page.isPresent()) {
            classifySome(page.get());
            return true;
        }
        listings.without(stores.keySet()).forEach(this::closeStore);
        listings.open().forEach(this::survey);
        if (!listings.open().isEmpty() || isBusy()) {
            return false;
        }
        return forgetOne();
    }

    private boolean begin() throws CloudMwException {
        long now = context.clock().millis();
        if (begunMillis < 0) {
            String noted = context.catalog().notes().startingWith(NOTE).getOrDefault(NOTE, "");
            begunMillis = noted.isEmpty() ? now : Long.parseLong(noted);
        }
        Optional<Boolean> wanted = rounds.wanted();
        boolean due = context.options().collects()
                && now - begunMillis >= context.options().collectEvery().toMillis();
        if (wanted.isEmpty() && !due) {
            return false;
        }
        boolean dry = wanted.orElse(false);
        if (!dry) {
            context.catalog().notes().put(context.lease(), NOTE, Long.toString(now));
            begunMillis = now;
            packs.begin(now);
            compaction.begin(now);
        }
        List<StoreId> available = stores.values().stream()
                .filter(StoreCondition::available)
                .map(StoreCondition::id)
                .toList();
        int away = stores.size() - available.size();
        forgetting.begin(away == 0);
        listings.begin(available);
        CollectRound round = CollectRound.began(dry, now, available.size()).failed(away);
        if (!rounds.start(round, dry || !due)) {
            listings.clear();
            packs.end();
            compaction.end();
        }
        return true;
    }

    private void closeStore(StoreId store) {
        if (listings.end(store)) {
            rounds.count(round -> round.storeDone().expecting(listings.expected()));
        }
    }

    /** Ends the round with its findings so far. Helpers may still delete the copies assigned to them. */
    private void endEarly() {
        packs.end();
        compaction.end();
        listings.clear();
        waiting.clear();
        page = Optional.empty();
        synchronized (this) {
            outstanding.stream()
                    .filter(task -> task instanceof Task.Survey)
                    .forEach(task -> task.keys().forEach(queue::withdraw));
            outstanding.removeIf(task -> task instanceof Task.Survey);
            listed.clear();
            rounds.end();
        }
    }

    /** Withdraws an order; a round for orders alone ends with the last of them. Does nothing when it is over. */
    public void end(UUID order) {
        rounds.withdraw(order);
    }

    /**
     * Returns the progress of an order.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the order is not known here
     */
    public OrderedRound find(UUID order) throws CloudMwException {
        return rounds.find(order);
    }

    /**
     * Orders a round, which begins when none is under way. A repeated order is for the same round.
     *
     * @param order chosen by the client
     * @param dry whether the round marks and deletes nothing
     * @return the number of that round
     * @throws CloudMwException {@code INVALID_ARGUMENT} when collection is turned off, and the order is not dry; as
     *     {@link CollectionOrders#add}
     */
    public long order(UUID order, boolean dry) throws CloudMwException {
        return rounds.order(order, dry);
    }

    /** Orders a deleting round on behalf of upkeep; repeated calls have no further effect until the round begins. */
    public void orderUnlessOrdered() throws CloudMwException {
        rounds.orderUnlessOrdered();
    }

    private synchronized Optional<ClassifiedPage> nextListed() {
        return Optional.ofNullable(listed.poll());
    }

    private synchronized boolean isBusy() {
        return !outstanding.isEmpty() || !listed.isEmpty();
    }

    /** Requests a page of a store's listing. Pages follow each other, each when the one before was classified. */
    private synchronized void survey(StoreId id, String after) {
        StoreCondition store = stores.get(id);
        boolean classified = listed.stream().noneMatch(next -> next.store().equals(id));
        if (store != null && classified) {
            Task.Survey task = new Task.Survey(store.candidate().store(), after);
            if (!outstanding.contains(task) && queue.offer(task)) {
                outstanding.add(task);
            }
        }
    }

    /**
     * Takes a page that a helper has listed.
     *
     * @param done removes the task from the queue
     */
    public synchronized void surveyed(Task.Survey task, Page<StoredChunk> chunks, Runnable done) {
        done.run();
        if (outstanding.remove(task)) {
            listed.add(new ClassifiedPage(task.store(), chunks));
        }
    }

    /**
     * Takes the copy of a new pack that a helper has made.
     *
     * @param done removes the task from the queue
     */
    public void compacted(Task.Compact task, Chunk pack, Runnable done) {
        compaction.made(task, pack, done);
    }

    private boolean offerWaiting() {
        while (!waiting.isEmpty()) {
            if (!offer(waiting.element())) {
                return false;
            }
            waiting.remove();
        }
        return true;
    }

    private synchronized boolean offer(Task.Delete task) {
        if (deletions.isFull() || !queue.offer(task)) {
            return false;
        }
        outstanding.add(task);
        return true;
    }

    /**
     * Deletes copies that have been marked for long enough, whether they exist or not. Rounds find only existing copies, so
     * marks of missing ones would stay. Also works outside of rounds; when the queue is full the caller repeats the call.
     */
    public void delete(Store store, List<ReplicaRecord> marks) {
        List<ChunkId> old = marks.stream()
                .filter(classifier::isOld)
                .map(ReplicaRecord::chunk)
                .filter(chunk -> !queue.contains(Task.copy(chunk, store.id())))
                .distinct()
                .toList();
        for (Task.Delete task : ClassifiedPage.deletions(store, old)) {
            if (!offer(task)) {
                return;
            }
        }
    }

    /**
     * Classifies part of a page, so that helpers are heard and the lease is renewed meanwhile, however slow the catalog is.
     */
    private void classifySome(ClassifiedPage next) throws CloudMwException {
        List<StoredChunk> some = next.next();
        GarbageClassifier.Verdict verdict = classifier.classify(next.store(), some);
        boolean dry = progress().now().dry();
        if (!dry) {
            context.settle(verdict.newMarks());
        }
        verdict.retired().forEach(forgetting::saw);
        rounds.count(verdict::in);
        next.classified(some.size(), dry ? List.of() : verdict.deletable());
        if (next.isDone()) {
            waiting.addAll(next.deletions());
            if (next.page().isLast()) {
                closeStore(next.store());
            } else {
                listings.goOn(next.store(), next.page().nextToken());
            }
            page = Optional.empty();
        }
    }

    /**
     * Checks a deletion again before it is assigned: no copy is referenced, and the lease holds.
     *
     * @throws CloudMwException {@code LEASE_LOST}
     */
    public boolean confirm(Task.Delete task) throws CloudMwException {
        StoreId store = task.store().id();
        Optional<List<ReplicaRecord>> marks = classifier.marksOfOld(store, task.chunks());
        if (marks.isEmpty()) {
            forget(task);
            return false;
        }
        deletions.add(task, context.options().deletesEndAfter(task.store()).toNanos());
        context.settle(marks.get());
        return true;
    }

    private synchronized void forget(Task task) {
        outstanding.remove(task);
    }

    /** Returns whether a helper may still delete a copy, so that none may be made there. */
    public boolean mayBeDeleted(ChunkId chunk, StoreId store) {
        return deletions.contains(chunk, store);
    }

    /**
     * Records that a helper has deleted copies.
     *
     * @param done removes the task from the queue
     */
    public void deleted(Task.Delete task, long bytes, Runnable done) throws CloudMwException {
        context.settle(classifier.recordsOfDeleted(task));
        synchronized (this) {
            outstanding.remove(task);
            done.run();
        }
        rounds.count(round -> round.deleted(new CopyTotal(task.chunks().size(), bytes)));
    }

    /** Forgets one retired version that this round has not seen; after the last one the round is over. */
    private boolean forgetOne() throws CloudMwException {
        CollectRound round = progress().now();
        if (forgetting.isOver(round)) {
            rounds.end();
            return false;
        }
        if (forgetting.step(round)) {
            rounds.count(counted -> counted.forgot(1));
        }
        return true;
    }

    public CollectProgress progress() {
        return rounds.progress();
    }
}

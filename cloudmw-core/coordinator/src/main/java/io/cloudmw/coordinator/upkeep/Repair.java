package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.Overlay;
import io.cloudmw.coordinator.catalog.UpkeepRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.copy.CopyWays;
import io.cloudmw.coordinator.upkeep.copy.HelperWaits;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.Obstacle;
import io.cloudmw.core.upkeep.RepairProgress;
import io.cloudmw.core.upkeep.ReplacedProgress;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds chunks that have fewer good copies than they ought to, and has them copied. It looks at what is recorded of single
 * copies every {@code interval}, and at all manifests while stores are lost: at once when one is, again as long as that finds
 * something to do, and seldom otherwise. Both in passes of bounded steps, at most a quarter of the time. The first look at all
 * manifests does not wait for helpers: what the queue has no room for is left to the next, so that chunks with fewer copies come
 * first wherever they are. Where such a look is, is noted every few seconds: who takes over goes on there, and looks at what was
 * before it after that. One is made for each lease: what else it holds in memory ends with it. {@link #begin}, {@link #step} and
 * {@link #look} are called by one thread, the rest by any.
 */
final class Repair {
    /** What it is noted under where a look at all manifests is. */
    static final String NOTE = "repair";

    /** A look at all manifests that found nothing to do is followed by another after so many passes over what is recorded. */
    private static final int BETWEEN_FULL_PASSES = 12;

    /** A pass is followed by a pause of so many times what it worked. */
    private static final int PAUSE = 3;

    /** After so many refusals in a row a store is spared, for longer and longer: copies go elsewhere, if there is a place. */
    static final int REFUSALS = 3;

    static final long FIRST_SPARED_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Backoff SPARED = new Backoff(FIRST_SPARED_NANOS, FIRST_SPARED_NANOS << 6);

    /** While copies of a store that was replaced are missing, passes over what is recorded follow each other so fast. */
    private static final long PRESSED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** More copies of a pass than may be under way when it reads of them. */
    private static final int MOST_MADE = 2 * WorkQueue.MAX_TASKS;

    private final Catalog catalog;
    private final Lease lease;
    private final WorkQueue queue;
    private final RepairPlanner planner;
    private final Reshaping reshaping;
    private final Predicate<Store> deletionsAreOver;
    private final BiPredicate<ChunkId, StoreId> mayBeDeleted;
    private final UpkeepClock age;
    private final Ticker ticker;
    private final WallClock clock;
    private final long intervalNanos;

    private Map<StoreId, StoreCondition> stores = Map.of();
    private CopyWays ways = new CopyWays(List.of(), (helper, store) -> true);

    /**
     * Causes to look for copies that nothing is recorded of: stores that are lost or drained, volumes that were
     * changed.
     */
    private Set<String> causes = Set.of();

    /** Since the last look at all manifests began, there is a cause for another that there was not. */
    private boolean anew;

    /** CurrentReplicas of stores that were replaced are being recorded as missing. */
    private boolean pressed;

    private int passesSinceFull;
    private long nextPassNanos;
    private long passBeganNanos;
    private long workedNanos;
    private @Nullable Walk walk;

    /** The {@link #walk} when it is over all manifests. */
    private @Nullable FullLook looking;

    /** The last one that ended, or was under way before. */
    private FullLook.Outcome looked = FullLook.Outcome.NONE;

    private String noted = "";
    /** The repair that was asked for, if any; and whether the {@link #walk} is for it. */
    private volatile @Nullable AskedRepair asked;

    private boolean forAsked;

    private final Deque<Task.Copy> found = new ArrayDeque<>();
    private Tally tally = new Tally();

    @GuardedBy("this")
    private Tally published = new Tally();

    /** CurrentReplicas in a row that could not be written to a store. */
    @GuardedBy("this")
    private final Map<StoreId, Integer> refusals = new HashMap<>();

    @GuardedBy("this")
    private final Map<StoreId, Long> sparedUntilNanos = new HashMap<>();

    /** CurrentReplicas that were made, of which the catalog is being told. */
    @GuardedBy("this")
    private final Set<String> arriving = new HashSet<>();

    /** CurrentReplicas that were made since the pass began, the last of them: what it read before that has them missing still. */
    @GuardedBy("this")
    private final Set<String> made = new LinkedHashSet<>();

    @GuardedBy("this")
    private long passesBegun;

    /** The last pass that ended, and the copies of replaced stores that it found missing. */
    @GuardedBy("this")
    private Map<StoreId, Long> missing = Map.of();

    @GuardedBy("this")
    private long missingAsOf;

    /** Since {@link #takeRemade}: copies that replaced stores had lost. */
    @GuardedBy("this")
    private final Map<StoreId, Long> remade = new HashMap<>();

    @GuardedBy("this")
    private long passes;

    @GuardedBy("this")
    private long copied;

    @GuardedBy("this")
    private long copiedBytes;

    @GuardedBy("this")
    private long failed;

    @GuardedBy("this")
    private long dropped;

    @GuardedBy("this")
    private boolean passing;

    /** What one pass saw. */
    private static final class Tally {
        private final SortedMap<Integer, Long> underReplicated = new TreeMap<>();
        private final Map<Obstacle, Long> obstacles = new EnumMap<>(Obstacle.class);
        private final HelperWaits waits = new HelperWaits();

        /** Of stores that were drained when the pass began: copies left. */
        private final SortedMap<StoreId, Long> left = new TreeMap<>();

        /** CurrentReplicas recorded as missing, for each store that was replaced. */
        private final Map<StoreId, Long> missing = new HashMap<>();

        void add(CurrentReplicas copies) {
            left.replaceAll((store, count) -> count + (copies.stores().contains(store) ? 1 : 0));
            missing.replaceAll((store, count) -> count + (isMissing(copies, store) ? 1 : 0));
        }

        void add(RepairPlan plan, int replicas) {
            if (plan.good() < replicas) {
                underReplicated.merge(plan.good(), 1L, Long::sum);
            }
            plan.obstacle().ifPresent(obstacle -> obstacles.merge(obstacle, 1L, Long::sum));
            if (!plan.closed().isEmpty()) {
                waits.add(ids(plan.sources()), ids(plan.closed()));
            }
        }

        private static List<StoreId> ids(List<Store> stores) {
            return stores.stream().map(Store::id).toList();
        }
    }

    /**
     * @param lease what it is done under; renewed elsewhere
     * @param reshaping is told of each look at all manifests
     * @param age stamps what is dropped
     * @param deletionsAreOver whether all that another coordinator ordered in a store are; until then none is made where
     *     one was dropped
     * @param mayBeDeleted whether a helper may still be about to delete a copy: none is made there meanwhile
     */
    Repair(
            Catalog catalog,
            Lease lease,
            WorkQueue queue,
            UpkeepOptions options,
            Reshaping reshaping,
            UpkeepClock age,
            Predicate<Store> deletionsAreOver,
            BiPredicate<ChunkId, StoreId> mayBeDeleted,
            Ticker ticker,
            WallClock clock) {
        this.catalog = catalog;
        this.lease = lease;
        this.queue = queue;
        this.planner = new RepairPlanner(options.owedAfter().toMillis());
        this.reshaping = reshaping;
        this.deletionsAreOver = deletionsAreOver;
        this.mayBeDeleted = mayBeDeleted;
        this.age = age;
        this.ticker = ticker;
        this.clock = clock;
        this.intervalNanos = options.interval().toNanos();
        this.nextPassNanos = ticker.nanos();
    }

    /** Goes on where another coordinator was; before all else. */
    void begin() throws CloudMwException {
        noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "");
        looked = FullLook.Outcome.at(noted);
    }

    /** Takes note of how the stores are and who can copy between them, and notes where it is. */
    void look(Map<StoreId, StoreCondition> now, CopyWays waysNow) throws CloudMwException {
        stores = now;
        ways = waysNow;
        Set<StoreId> used = reshaping.used();
        Set<String> before = causes;
        causes = new HashSet<>(reshaping.unsettled());
        now.values().stream()
                .filter(store -> !store.keeps() && used.contains(store.id()))
                .forEach(store -> causes.add("store " + store.id()));
        noteReached();
        if (!before.containsAll(causes)) {
            beginAnew();
        }
    }

    private void noteReached() throws CloudMwException {
        FullLook full = looking;
        if (full != null) {
            Optional<String> behind = full.reached(found);
            if (behind.isPresent()) {
                note(behind.get());
                full.noted();
            }
        }
    }

    /** What was under way is given up: everything is to be looked at once more, from where that was. */
    private void beginAnew() {
        anew = true;
        FullLook full = looking;
        if (full != null) {
            looked = FullLook.Outcome.at(full.position());
        }
        walk = null;
        looking = null;
        giveUpAsked();
        found.clear();
        nextPassNanos = ticker.nanos();
    }

    private void giveUpAsked() {
        AskedRepair wanted = asked;
        if (forAsked && wanted != null) {
            wanted.givenUp();
        }
        forAsked = false;
    }

    /** Looks at chunks that a round is about, before all that is due otherwise. Idempotent. */
    void ask(AskedRepair wanted) {
        asked = wanted;
    }

    /** The round is over. */
    void forget(AskedRepair wanted) {
        if (wanted.equals(asked)) {
            asked = null;
            if (forAsked) {
                forAsked = false;
                walk = null;
                found.clear();
            }
        }
    }

    /** Whether all manifests are being looked at. */
    boolean isPressed() {
        return looking != null || forAsked;
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        long began = ticker.nanos();
        try {
            return worked();
        } finally {
            workedNanos += ticker.nanos() - began;
        }
    }

    private boolean worked() throws CloudMwException {
        Walk walking = walk;
        if (walking == null) {
            return beginPass();
        }
        if (!offerFound()) {
            return false;
        }
        Optional<Walk.Stretch> next = walking.next();
        if (next.isEmpty()) {
            end();
            return false;
        }
        consider(next.get());
        return true;
    }

    /** False when the queue is full: what was found stays, the pass waits. */
    private boolean offerFound() {
        while (!found.isEmpty()) {
            if (!offer(found.element())) {
                return false;
            }
            found.remove();
        }
        return true;
    }

    private boolean offer(Task.Copy task) {
        // In this order: a copy that was made is known here before it leaves the queue.
        boolean taken = queue.contains(task.copy()) || isMade(task.copy()) || queue.offer(task);
        FullLook full = looking;
        if (taken && full != null) {
            full.offered(task);
        }
        AskedRepair wanted = asked;
        if (taken && forAsked && wanted != null) {
            wanted.offered(task);
        }
        return taken;
    }

    private synchronized boolean isMade(String copy) {
        return arriving.contains(copy) || made.contains(copy);
    }

    private boolean beginPass() {
        long now = ticker.nanos();
        AskedRepair wanted = asked;
        if (wanted != null && wanted.wantsPass(queue::contains)) {
            forAsked = true;
            walk = wanted.begin(catalog);
            begun(now);
            return true;
        }
        if (now - nextPassNanos < 0) {
            return false;
        }
        if (isFullDue()) {
            FullLook full = new FullLook(catalog, queue, ticker, looked.from(), !anew && looked.left(), standing());
            looking = full;
            walk = full;
            reshaping.lookBegins();
            anew = false;
            passesSinceFull = 0;
        } else {
            walk = new PendingWalk(catalog);
            passesSinceFull++;
        }
        begun(now);
        return true;
    }

    private void begun(long now) {
        tally = new Tally();
        stores.values().stream().filter(StoreCondition::draining).forEach(store -> tally.left.put(store.id(), 0L));
        replaced(stores).forEach(store -> tally.missing.put(store, 0L));
        passBeganNanos = now;
        workedNanos = 0;
        synchronized (this) {
            passing = true;
            passesBegun++;
            made.clear();
        }
    }

    private boolean isFullDue() {
        if (causes.isEmpty()) {
            return false;
        }
        return anew
                || passesSinceFull >= BETWEEN_FULL_PASSES
                || (passesSinceFull > 0 && looked.isToBeRepeated(standing()));
    }

    private void end() throws CloudMwException {
        long now = ticker.nanos();
        AskedRepair wanted = asked;
        if (forAsked && wanted != null) {
            forAsked = false;
            walk = null;
            wanted.ended();
            synchronized (this) {
                passing = false;
            }
            return;
        }
        FullLook full = looking;
        if (full != null) {
            looked = full.outcome();
            note(looked.from());
            if (!looked.left()) {
                reshaping.lookEnded();
            }
        } else if (causes.isEmpty()) {
            note("");
        }
        walk = null;
        looking = null;
        nextPassNanos = Math.max(passBeganNanos + pauseNanos(), now + PAUSE * workedNanos);
        synchronized (this) {
            passing = false;
            passes++;
            missing = tally.missing;
            missingAsOf = passesBegun;
            // While stores are lost or volumes were changed, what is recorded is only a part.
            if (full != null || causes.isEmpty()) {
                tally.waits.tell(published.waits);
                published = tally;
            }
        }
    }

    private long pauseNanos() {
        return pressed ? Math.min(intervalNanos, PRESSED_NANOS) : intervalNanos;
    }

    /** Takes note whether copies of stores that were replaced are missing: then the next pass comes soon. */
    void press(boolean now) {
        pressed = now;
        long soon = ticker.nanos() + pauseNanos();
        if (pressed && soon - nextPassNanos < 0) {
            nextPassNanos = soon;
        }
    }

    /** How many passes have begun. */
    synchronized long passesBegun() {
        return passesBegun;
    }

    /** CurrentReplicas of a replaced store that were missing, as a pass saw that began after so many; empty: none has ended yet. */
    synchronized Optional<Long> missing(StoreId store, long afterPasses) {
        return missingAsOf > afterPasses ? Optional.ofNullable(missing.get(store)) : Optional.empty();
    }

    /** CurrentReplicas that replaced stores had lost and that were made anew since the last call. */
    synchronized Map<StoreId, Long> takeRemade() {
        Map<StoreId, Long> taken = Map.copyOf(remade);
        remade.clear();
        return taken;
    }

    private static List<StoreId> replaced(Map<StoreId, StoreCondition> conditions) {
        return conditions.values().stream()
                .filter(store -> store.identity().replacedAtMillis() > 0)
                .map(StoreCondition::id)
                .toList();
    }

    private static boolean isMissing(CurrentReplicas copies, StoreId store) {
        return copies.record(store)
                .filter(record -> record.state() == ReplicaState.MISSING)
                .isPresent();
    }

    private void note(String position) throws CloudMwException {
        if (!position.equals(noted)) {
            catalog.notes().put(lease, NOTE, position);
            noted = position;
        }
    }

    /** What it depends on whether chunks can be copied. */
    private FullLook.Standing standing() {
        Map<StoreId, List<Boolean>> each = new HashMap<>();
        stores.forEach((id, store) -> each.put(
                id,
                List.of(
                        store.keeps(),
                        store.available(),
                        store.takes(1) && !isSpared(id),
                        deletionsAreOver.test(store.candidate().store()))));
        return new FullLook.Standing(each, published().waits.open(ways, this::store));
    }

    private synchronized Tally published() {
        return published;
    }

    private Optional<Store> store(StoreId id) {
        return Optional.ofNullable(stores.get(id))
                .map(store -> store.candidate().store());
    }

    private void consider(Walk.Stretch stretch) throws CloudMwException {
        Volume volume = stretch.volume();
        RepairPlanner.Situation now = situation(volume, stretch.chunks(), stores, this::mayTake, ways::exists);
        FullLook full = looking;
        List<ReplicaRecord> drops = new ArrayList<>();
        for (CurrentReplicas copies : stretch.chunks()) {
            RepairPlan plan = planner.plan(copies, volume.replicas(), now);
            tally.add(plan, volume.replicas());
            tally.add(copies);
            drops.addAll(stamped(plan.drops()));
            if (full != null) {
                full.saw(plan);
                reshaping.saw(stretch, copies, plan);
            }
            AskedRepair wanted = asked;
            if (forAsked && wanted != null) {
                wanted.saw(plan, volume.replicas());
            }
            for (Store target : plan.targets()) {
                add(new Task.Copy(copies.chunk(), target, stretch.file(), plan.sources(), plan.good()));
            }
        }
        drop(drops);
    }

    /** What is not taken at once waits, or is left to the next look. */
    private void add(Task.Copy task) {
        FullLook full = looking;
        if (full == null || full.waits()) {
            found.add(task);
        } else if (!offer(task)) {
            full.leave(task);
        }
    }

    /** CurrentReplicas stay in the volume's stores; those in any other store are read, and go to the volume's. */
    private RepairPlanner.Situation situation(
            Volume volume,
            List<CurrentReplicas> chunks,
            Map<StoreId, StoreCondition> conditions,
            RepairPlanner.Reuse reuse,
            RepairPlanner.Ways ways) {
        Map<StoreId, StoreCondition> ofVolume = new LinkedHashMap<>();
        for (StoreId id : volume.stores()) {
            StoreCondition store = conditions.get(id);
            if (store != null) {
                ofVolume.put(id, isSpared(id) ? store.refusing("copies to it failed") : store);
            }
        }
        for (CurrentReplicas copies : chunks) {
            for (StoreId id : copies.stores()) {
                StoreCondition store = conditions.get(id);
                if (store != null) {
                    ofVolume.putIfAbsent(id, store.leaving());
                }
            }
        }
        return new RepairPlanner.Situation(ofVolume, reuse, ways, clock.millis());
    }

    /** Neither where this coordinator had a copy deleted lately, nor where one before it may have. */
    private boolean mayTake(ChunkId chunk, Store store, Optional<ReplicaRecord> record) {
        boolean dropped = record.isPresent() && record.get().state().isDropped();
        return (!dropped || deletionsAreOver.test(store)) && !mayBeDeleted.test(chunk, store.id());
    }

    /** How long a copy has been dropped counts when it is deleted: that is told by upkeep's own clock. */
    private List<ReplicaRecord> stamped(List<ReplicaRecord> drops) {
        return drops.stream()
                .map(drop -> new ReplicaRecord(drop.chunk(), drop.store(), drop.state(), age.millis()))
                .toList();
    }

    private void drop(List<ReplicaRecord> drops) throws CloudMwException {
        for (int from = 0; from < drops.size(); from += UpkeepRecords.MAX_SETTLED) {
            List<ReplicaRecord> some = drops.subList(from, Math.min(drops.size(), from + UpkeepRecords.MAX_SETTLED));
            catalog.settle(lease, some);
            synchronized (this) {
                dropped += some.size();
            }
        }
    }

    /**
     * A copy was made: from now on it counts, and those it makes superfluous do not. Of calls at once that say so of one copy, its
     * helper having waited too long for the first, one takes effect.
     *
     * @param conditions how the stores are
     */
    void copied(Task.Copy task, long bytes, Map<StoreId, StoreCondition> conditions) throws CloudMwException {
        Optional<Volume> volume = catalog.volume(task.file().volume());
        if (volume.isEmpty() || !beginArrival(task.copy())) {
            return;
        }
        try {
            long dropping = settle(task, volume.get(), conditions);
            arrived(task, bytes, dropping);
        } finally {
            endArrival(task.copy());
        }
    }

    private synchronized boolean beginArrival(String copy) {
        return arriving.add(copy);
    }

    private synchronized void endArrival(String copy) {
        arriving.remove(copy);
    }

    /** Has the catalog keep what it does not know yet; how many copies are dropped. */
    private long settle(Task.Copy task, Volume volume, Map<StoreId, StoreCondition> conditions)
            throws CloudMwException {
        CurrentReplicas before = Overlay.of(catalog, List.of(task.chunk())).get(0);
        ReplicaRecord arrived = before.arrived(task.store().id(), clock.millis());
        CurrentReplicas after = before.with(List.of(arrived));
        // The planner is asked for copies to drop alone: no copy is planned.
        RepairPlanner.Situation now = situation(
                volume, List.of(after), conditions, (chunk, store, record) -> false, (sources, target) -> false);
        List<ReplicaRecord> drops =
                stamped(planner.plan(after, volume.replicas(), now).drops());
        List<ReplicaRecord> changes = new ArrayList<>(drops);
        if (!before.isGood(task.store().id())) {
            changes.add(0, arrived);
        }
        if (!changes.isEmpty()) {
            catalog.settle(lease, changes.subList(0, Math.min(changes.size(), UpkeepRecords.MAX_SETTLED)));
        }
        CurrentReplicas settled = after.with(drops);
        countRemade(replaced(conditions).stream()
                .filter(store -> isMissing(before, store) && !isMissing(settled, store))
                .toList());
        return drops.size();
    }

    private synchronized void countRemade(List<StoreId> stores) {
        stores.forEach(store -> remade.merge(store, 1L, Long::sum));
    }

    private synchronized void arrived(Task.Copy task, long bytes, long dropping) {
        AskedRepair wanted = asked;
        if (wanted != null) {
            wanted.arrived(task, bytes);
        }
        made.add(task.copy());
        if (made.size() > MOST_MADE) {
            made.remove(made.iterator().next());
        }
        refusals.remove(task.store().id());
        sparedUntilNanos.remove(task.store().id());
        copied++;
        copiedBytes += bytes;
        dropped += dropping;
    }

    /** A copy could not be written to a store, for a reason that is the store's: after some of those it is spared for a while. */
    synchronized void refusedBy(StoreId store) {
        int times = refusals.merge(store, 1, Integer::sum);
        if (times >= REFUSALS) {
            sparedUntilNanos.put(store, ticker.nanos() + SPARED.delayNanos(times - REFUSALS + 1));
        }
    }

    private synchronized boolean isSpared(StoreId store) {
        Long until = sparedUntilNanos.get(store);
        return until != null && ticker.nanos() - until < 0;
    }

    synchronized void failed(int tries) {
        failed += tries;
    }

    /** @param replaced stores whose disk or bucket was replaced */
    synchronized RepairProgress progress(SortedMap<StoreId, ReplacedProgress> replaced) {
        return new RepairProgress(
                new TreeMap<>(published.underReplicated),
                Map.copyOf(published.obstacles),
                new TreeMap<>(published.left),
                replaced,
                published.waits.chunks(),
                passes,
                passing,
                copied,
                copiedBytes,
                failed,
                dropped);
    }
}

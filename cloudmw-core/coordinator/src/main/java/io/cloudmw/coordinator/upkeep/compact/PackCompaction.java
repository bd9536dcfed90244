package io.cloudmw.coordinator.upkeep.compact;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.wire.BackupWire;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The compaction of packs within a round of garbage collection. A pack of which few bytes are needed takes no more
 * files from then on. Helpers make the copies of a smaller one, which replaces it in the catalog; the collector finds
 * the copies of the replaced pack unreferenced. The smaller pack is written as a version without a path. When a
 * compaction fails, this version is abandoned like an upload that has ended, and the next round tries again. {@link
 * #step}, {@link #begin}, {@link #end} and {@link #look} are called by one thread, other methods by any; calls block on
 * the catalog.
 */
public final class PackCompaction {
    private static final Logger LOG = LoggerFactory.getLogger(PackCompaction.class);
    static final int PAGE = 100;

    /** The most compactions that one round begins. */
    private static final int MOST_PACKS = 1000;

    /** The most packs on their way at once. */
    private static final int MOST_AT_ONCE = 8;

    private static final int PERCENT = 100;
    private static final String TOO_LONG = "manifests of its files are too long to be read";

    private final UpkeepContext context;
    private final TaskQueue queue;
    private final Consumer<CopyTotal> counted;
    private final int mostPacks;
    private final Deque<FileVersion> found = new ArrayDeque<>();

    /** The page at which the list of packs continues; empty: the round has seen all. */
    private Optional<String> nextPage = Optional.empty();

    /** The page at which the next round begins: the first one of which this round has not come to all packs. */
    private String firstPage = "";

    /** The first pack that the round has seen. */
    private Optional<VersionId> firstPack = Optional.empty();

    /** Whether the round reads the list from its beginning, up to the first pack that it has seen. */
    private boolean fromBeginning;

    /** The pack of which it is estimated how much is needed. */
    private Optional<Estimate> estimate = Optional.empty();

    /** The pack whose needed bytes are searched. */
    private Optional<Search> search = Optional.empty();

    private long beganMillis;
    private int begun;
    private Map<StoreId, StoreCondition> stores = Map.of();

    @GuardedBy("this")
    private final List<RunningCompaction> running = new ArrayList<>();

    private record Estimate(FileVersion pack, NeedEstimate need) {}

    /** A closed pack. */
    private record Search(FileVersion pack, Optional<PackRelocation> before, NeededRanges needed) {
        VersionId original() {
            return before.map(PackRelocation::original).orElse(pack.id());
        }
    }

    /** @param counted receives each replaced pack, with the bytes that stores need less for it */
    public PackCompaction(UpkeepContext context, TaskQueue queue, Consumer<CopyTotal> counted) {
        this(context, queue, counted, MOST_PACKS);
    }

    /** @param mostPacks the most compactions that one round begins, at least {@value #PAGE} */
    PackCompaction(UpkeepContext context, TaskQueue queue, Consumer<CopyTotal> counted, int mostPacks) {
        this.context = context;
        this.queue = queue;
        this.counted = counted;
        this.mostPacks = mostPacks;
    }

    /** Takes the present conditions of the stores. */
    public void look(Map<StoreId, StoreCondition> now) {
        stores = now;
    }

    /**
     * Begins a round with the packs that the last one has not come to, since it ended early or has begun as many
     * compactions as one round may. The others follow.
     */
    public void begin(long nowMillis) {
        end();
        nextPage = context.options().compactBelowPercent() > 0 ? Optional.of(firstPage) : Optional.empty();
        firstPack = Optional.empty();
        fromBeginning = firstPage.isEmpty();
        beganMillis = nowMillis;
        begun = 0;
    }

    /** Ends early; versions that are not committed yet are found abandoned later. */
    public synchronized void end() {
        found.clear();
        estimate = Optional.empty();
        search = Optional.empty();
        nextPage = Optional.empty();
        fromBeginning = false;
        running.forEach(one -> one.left().forEach(task -> task.keys().forEach(queue::withdraw)));
        running.clear();
    }

    /** Returns whether packs are on their way. */
    public synchronized boolean isBusy() {
        return !running.isEmpty();
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
        Optional<RunningCompaction> complete = complete();
        if (complete.isPresent()) {
            commit(complete.get());
            return true;
        }
        Optional<RunningCompaction> failed = failed();
        if (failed.isPresent()) {
            LOG.info(
                    "upkeep: pack {} could not be compacted for now",
                    failed.get().replaced().id());
            giveUp(failed.get());
            return true;
        }
        if (search.isPresent()) {
            continueSearch(search.get());
            return true;
        }
        if (estimate.isPresent()) {
            continueEstimate(estimate.get());
            return true;
        }
        if (found.isEmpty() && nextPage.isPresent()) {
            firstPage = nextPage.get();
        }
        if (runningNow() >= MOST_AT_ONCE || begun >= mostPacks) {
            return false;
        }
        if (!found.isEmpty()) {
            FileVersion pack = found.remove();
            NeedEstimate need = new NeedEstimate(context.catalog(), pack.id(), sinceMillis(), most(pack));
            estimate = Optional.of(new Estimate(pack, need));
            return true;
        }
        if (nextPage.isPresent()) {
            turn(nextPage.get());
            return true;
        }
        if (fromBeginning) {
            firstPage = "";
        }
        return false;
    }

    private synchronized int runningNow() {
        return running.size();
    }

    private synchronized Optional<RunningCompaction> complete() {
        return running.stream().filter(one -> one.left().isEmpty()).findFirst();
    }

    /** Returns a compaction of which the queue has dropped a task. */
    private synchronized Optional<RunningCompaction> failed() {
        return running.stream()
                .filter(one -> one.left().stream()
                        .anyMatch(task -> !queue.contains(task.keys().get(0))))
                .findFirst();
    }

    private void turn(String token) throws CloudMwException {
        Page<FileVersion> page = context.catalog().packs(token, PAGE);
        boolean seenAll = fromBeginning && page.isLast();
        for (FileVersion pack : page.items()) {
            if (fromBeginning && firstPack.isPresent() && isBehind(pack.id(), firstPack.get())) {
                seenAll = true;
                break;
            }
            if (!fromBeginning && firstPack.isEmpty()) {
                firstPack = Optional.of(pack.id());
            }
            if (pack.committedAtMillis() + context.graceMillis() < beganMillis) {
                found.add(pack);
            }
        }
        fromBeginning |= page.isLast();
        nextPage = seenAll ? Optional.empty() : Optional.of(page.nextToken());
    }

    /** Returns whether a pack is not before another one in the list, which is ordered by id. */
    private static boolean isBehind(VersionId pack, VersionId other) {
        return pack.value().compareTo(other.value()) >= 0;
    }

    /** Returns the largest pack that may replace one of this length. */
    private long most(FileVersion pack) {
        return pack.sizeBytes() * context.options().compactBelowPercent() / PERCENT;
    }

    /**
     * Returns the time from which on retired versions count. Those of the grace period do: clocks may differ by that much.
     */
    private long sinceMillis() {
        return context.clock().millis() - context.graceMillis();
    }

    /** Closes a pack that can be compacted, if files need few bytes of it, and begins to search which. */
    private void continueEstimate(Estimate estimated) throws CloudMwException {
        NeedEstimate need = estimated.need();
        if (need.step()) {
            return;
        }
        FileVersion pack = estimated.pack();
        Catalog catalog = context.catalog();
        long since = sinceMillis();
        if (need.isTooLong()) {
            logSkipped(pack, TOO_LONG);
        } else if (need.isLow()
                && places(pack).isPresent()
                && catalog.closePack(context.lease(), pack.id(), context.clock().millis())) {
            Optional<PackRelocation> before = catalog.relocationTo(pack.id());
            VersionId original = before.map(PackRelocation::original).orElse(pack.id());
            search = Optional.of(new Search(pack, before, new NeededRanges(catalog, pack.id(), original, since)));
        }
        estimate = Optional.empty();
    }

    /** Returns the stores for a compaction of a pack; empty when there are too few now. */
    private Optional<CompactionPlaces> places(FileVersion pack) throws CloudMwException {
        Optional<CompactionPlaces> places = CompactionPlaces.of(context.catalog(), pack, stores);
        if (places.isEmpty()) {
            logSkipped(pack, "its volume was deleted");
        } else if (!places.get().areEnough()) {
            logSkipped(
                    pack,
                    places.get().targets().size() + " stores with a good copy take another (expected: "
                            + places.get().wanted() + ")");
        }
        return places.filter(CompactionPlaces::areEnough);
    }

    private static void logSkipped(FileVersion pack, String reason) {
        LOG.debug("upkeep: pack {} is not compacted in this round: {}", pack.id(), reason);
    }

    private void continueSearch(Search searched) throws CloudMwException {
        if (searched.needed().step()) {
            return;
        }
        Optional<RunningCompaction> planned = plan(searched);
        search = Optional.empty();
        if (planned.isPresent()) {
            start(planned.get());
        }
    }

    private void start(RunningCompaction compaction) throws CloudMwException {
        context.catalog().touch(compaction.place().pack(), context.clock().millis());
        boolean taken = true;
        synchronized (this) {
            for (Task.Compact task : compaction.tasks()) {
                taken &= queue.offer(task);
            }
            if (taken) {
                running.add(compaction);
                begun++;
            }
        }
        if (!taken) {
            giveUp(compaction);
        }
    }

    /** Plans the new pack; empty when there is no need for one, or no place now. */
    private Optional<RunningCompaction> plan(Search searched) throws CloudMwException {
        FileVersion pack = searched.pack();
        Optional<List<ByteRange>> needed = searched.needed().found();
        if (needed.isEmpty()) {
            logSkipped(pack, TOO_LONG);
            return Optional.empty();
        }
        if (needed.get().isEmpty()) {
            logSkipped(pack, "no file needs it any more");
            return Optional.empty();
        }
        Optional<List<ByteRange>> kept = placed(needed.get(), searched.before());
        if (kept.isEmpty()) {
            LOG.error("upkeep: pack {} lacks bytes that a file needs; it is not compacted", pack.id());
            return Optional.empty();
        }
        Optional<CompactionPlaces> places = places(pack);
        if (places.isEmpty()) {
            return Optional.empty();
        }
        PackRelocation place = new PackRelocation(
                searched.original(),
                PackRelocation.newId(searched.original()),
                places.get().targets().stream().map(Store::id).toList(),
                needed.get());
        long length = place.keptBytes() + BackupWire.packEnd(place).length;
        if (length > most(pack)) {
            logSkipped(pack, "the smaller one would have " + length + " bytes (expected: <= " + most(pack) + ")");
            return Optional.empty();
        }
        return Optional.of(new RunningCompaction(pack, places.get(), kept.get(), place, length));
    }

    /** Returns the places of the original's ranges in the present pack. */
    private static Optional<List<ByteRange>> placed(List<ByteRange> ranges, Optional<PackRelocation> before) {
        if (before.isEmpty()) {
            return Optional.of(ranges);
        }
        List<ByteRange> placed = ranges.stream()
                .flatMap(range -> before.get().place(range).stream())
                .toList();
        return placed.size() == ranges.size() ? Optional.of(placed) : Optional.empty();
    }

    /**
     * Takes the copy of a new pack that a helper has made.
     *
     * @param done removes the task from the queue
     */
    public synchronized void made(Task.Compact task, Chunk pack, Runnable done) {
        done.run();
        running.stream()
                .filter(one -> one.place().equals(task.place()))
                .forEach(one -> one.made(task.store().id(), pack));
    }

    private void commit(RunningCompaction compaction) throws CloudMwException {
        Optional<Chunk> chunk = compaction.chunk();
        if (chunk.isEmpty()) {
            LOG.error(
                    "upkeep: helpers made different copies of pack {}; it is given up",
                    compaction.place().pack());
            giveUp(compaction);
            return;
        }
        FileVersion replaced = compaction.replaced();
        long now = context.clock().millis();
        Pack pack =
                Pack.of(replaced.file().volume(), chunk.get(), List.of(), now).with(compaction.place());
        try {
            if (context.catalog().replacePack(context.lease(), replaced.id(), pack, now)) {
                counted.accept(new CopyTotal(1, compaction.freedBytes()));
            }
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.CONFLICT && e.code() != ErrorCode.VOLUME_NOT_FOUND) {
                throw e;
            }
            LOG.info("upkeep: pack {} is not replaced: {}", replaced.id(), e.getMessage());
        }
        // Changes nothing once the new pack is committed.
        giveUp(compaction);
    }

    /** Ends a compaction; the new version is retired unless it was committed, so that its copies are deleted. */
    private void giveUp(RunningCompaction compaction) throws CloudMwException {
        compaction.left().forEach(task -> task.keys().forEach(queue::withdraw));
        Optional<FileVersion> unused = context.catalog()
                .giveUp(compaction.place().pack(), context.clock().millis());
        synchronized (this) {
            running.remove(compaction);
        }
    }
}

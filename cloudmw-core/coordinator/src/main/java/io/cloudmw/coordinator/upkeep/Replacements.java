package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.Overlay;
import io.cloudmw.coordinator.catalog.UpkeepRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.ReplacedProgress;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds the copies that a store lost when its disk or bucket was replaced. Walks over all manifests, asks the store for every copy
 * that the catalog says is there, and records as missing what is not; repair makes those anew. CurrentReplicas that were written since the
 * replacement are there, and so never recorded. Works on one store at a time, a window of chunks after the other, and notes where it
 * is behind each: the next coordinator goes on there. {@link #step} and {@link #look} are called by one thread, the rest by any.
 */
final class Replacements {
    static final String PREFIX = "replaced/";

    /** Chunks that are asked for at once. */
    private static final int WINDOW = 8 * Task.Look.MOST_CHUNKS;

    /** Chunks that one step records. */
    private static final int RECORDED = UpkeepRecords.MAX_SETTLED;

    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Catalog catalog;
    private final Lease lease;
    private final WorkQueue queue;
    private final Repair repair;
    private final Ticker ticker;
    private final WallClock clock;

    private Map<StoreId, StoreCondition> stores = Map.of();
    private final Map<StoreId, String> noted = new TreeMap<>();
    private long notedNanos;

    /** The store that is looked through, if any, and where. */
    private @Nullable StoreId looking;

    private ManifestWalk walk;

    /** Chunks of the window under way that are not asked for yet, and those that are. */
    private final Map<ChunkId, Chunk> gathered = new LinkedHashMap<>();

    private final Map<ChunkId, Chunk> asked = new LinkedHashMap<>();
    private final Deque<Task.Look> waiting = new ArrayDeque<>();
    private final Deque<Chunk> absent = new ArrayDeque<>();
    private boolean atEnd;

    /** CurrentReplicas of the window that were not there; counted once the window is over, as the position is. */
    private long windowMissing;

    /** CurrentReplicas of the window that were known to be missing before. */
    private long windowKnown;

    /** Passes of repair that had begun when a store was looked through: a later one says what is still missing. */
    private final Map<StoreId, Long> lookedThrough = new TreeMap<>();

    @GuardedBy("this")
    private final SortedMap<StoreId, ReplacedNote> notes = new TreeMap<>();

    @GuardedBy("this")
    private final Map<Task.Look, Optional<Set<ChunkId>>> outstanding = new LinkedHashMap<>();

    /** @param lease what it is done under; renewed elsewhere */
    Replacements(Catalog catalog, Lease lease, WorkQueue queue, Repair repair, Ticker ticker, WallClock clock) {
        this.catalog = catalog;
        this.lease = lease;
        this.queue = queue;
        this.repair = repair;
        this.ticker = ticker;
        this.clock = clock;
        this.walk = new ManifestWalk(catalog);
        this.notedNanos = ticker.nanos();
    }

    /** Goes on where another coordinator was; before all else. */
    synchronized void begin() throws CloudMwException {
        catalog.notes().startingWith(PREFIX).forEach((key, text) -> {
            StoreId store = new StoreId(key.substring(PREFIX.length()));
            notes.put(store, ReplacedNote.parse(text));
            noted.put(store, text);
        });
    }

    /** Takes note of how the stores are and of what repair did, and notes how far it is. */
    void look(Map<StoreId, StoreCondition> now) throws CloudMwException {
        stores = now;
        takeIn();
        Map<StoreId, Long> remade = repair.takeRemade();
        remade.forEach((store, count) -> change(store, note -> note.made(count)));
        lookedThrough.forEach(this::completeUnlessMissing);
        lookedThrough.keySet().removeIf(store -> stage(store) != ReplacedNote.Stage.MAKING);
        boolean pressed = isPressed();
        repair.press(pressed);
        if (!pressed || ticker.nanos() - notedNanos >= NOTE_NANOS) {
            note();
        }
    }

    private boolean isPressed() {
        return progress().values().stream().anyMatch(store -> !store.complete());
    }

    /** Stores that were replaced since the last look, and those that are known no more. */
    private synchronized void takeIn() {
        notes.keySet().removeIf(id -> !stores.containsKey(id) || isLost(id));
        for (StoreCondition store : stores.values()) {
            StoreIdentity identity = store.identity();
            String mark = ReplacedNote.mark(identity);
            ReplacedNote note = notes.get(store.id());
            if (identity.replacedAtMillis() > 0
                    && !isLost(store.id())
                    && (note == null || !note.mark().equals(mark))) {
                notes.put(store.id(), ReplacedNote.begin(mark));
                if (store.id().equals(looking)) {
                    looking = null;
                }
            }
        }
        for (Map.Entry<StoreId, ReplacedNote> note : notes.entrySet()) {
            if (note.getValue().stage() == ReplacedNote.Stage.MAKING) {
                lookedThrough.putIfAbsent(note.getKey(), repair.passesBegun());
            }
        }
    }

    /** Returns whether a store was declared lost: no copies are made in it any more. */
    private boolean isLost(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && store.candidate().store().isLost();
    }

    private void completeUnlessMissing(StoreId store, long passesBegun) {
        if (repair.missing(store, passesBegun).equals(Optional.of(0L))) {
            change(store, ReplacedNote::complete);
        }
    }

    private synchronized ReplacedNote.@Nullable Stage stage(StoreId store) {
        ReplacedNote note = notes.get(store);
        return note == null ? null : note.stage();
    }

    /** Changes what is to be noted. */
    @FunctionalInterface
    private interface Change {
        ReplacedNote of(ReplacedNote note);
    }

    private synchronized void change(StoreId store, Change change) {
        notes.computeIfPresent(store, (id, note) -> change.of(note));
    }

    private void note() throws CloudMwException {
        notedNanos = ticker.nanos();
        Map<StoreId, String> texts = new TreeMap<>();
        synchronized (this) {
            notes.forEach((store, note) -> texts.put(store, note.text()));
        }
        for (Map.Entry<StoreId, String> text : texts.entrySet()) {
            if (!text.getValue().equals(noted.get(text.getKey()))) {
                catalog.notes().put(lease, PREFIX + text.getKey(), text.getValue());
                noted.put(text.getKey(), text.getValue());
            }
        }
        List<StoreId> forgotten = noted.keySet().stream()
                .filter(store -> !texts.containsKey(store))
                .toList();
        for (StoreId store : forgotten) {
            catalog.notes().put(lease, PREFIX + store, "");
            noted.remove(store);
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        StoreId store = looking;
        if (store == null) {
            return beginStore();
        }
        StoreCondition condition = stores.get(store);
        if (condition == null || !condition.available()) {
            // The question is lost: once the store is back, it is looked through from the last note on.
            looking = null;
            return false;
        }
        if (!waiting.isEmpty()) {
            return offer();
        }
        if (isAwaiting()) {
            return false;
        }
        if (!absent.isEmpty()) {
            record(store);
        } else if (asked.isEmpty()) {
            gather(condition);
        } else {
            reached(store);
        }
        return true;
    }

    private boolean beginStore() {
        clear();
        synchronized (this) {
            for (Map.Entry<StoreId, ReplacedNote> note : notes.entrySet()) {
                StoreCondition store = stores.get(note.getKey());
                boolean open = note.getValue().stage() == ReplacedNote.Stage.LOOKING;
                if (open && store != null && store.available()) {
                    looking = note.getKey();
                    walk = new ManifestWalk(catalog, note.getValue().position());
                    return true;
                }
            }
        }
        return false;
    }

    private synchronized void clear() {
        gathered.clear();
        asked.clear();
        waiting.clear();
        absent.clear();
        outstanding.clear();
        windowMissing = 0;
        windowKnown = 0;
        atEnd = false;
    }

    /** Takes the copies of the next segment; when there are enough, or no more, they are asked for. */
    private void gather(StoreCondition store) throws CloudMwException {
        Optional<Walk.Stretch> next = walk.next();
        if (next.isPresent()) {
            for (CurrentReplicas copies : next.get().chunks()) {
                if (copies.isGood(store.id())) {
                    gathered.put(copies.chunk().id(), copies.chunk());
                } else if (isKnownMissing(copies, store.id())) {
                    windowKnown++;
                }
            }
        }
        atEnd = next.isEmpty();
        if (atEnd || gathered.size() >= WINDOW) {
            ask(store);
        }
    }

    private static boolean isKnownMissing(CurrentReplicas copies, StoreId store) {
        return copies.record(store)
                .filter(record -> record.state() == ReplicaState.MISSING)
                .isPresent();
    }

    private void ask(StoreCondition store) {
        List<ChunkId> all = List.copyOf(gathered.keySet());
        for (int from = 0; from < all.size(); from += Task.Look.MOST_CHUNKS) {
            waiting.add(new Task.Look(
                    store.candidate().store(), all.subList(from, Math.min(all.size(), from + Task.Look.MOST_CHUNKS))));
        }
        asked.putAll(gathered);
        gathered.clear();
        if (asked.isEmpty()) {
            reached(store.id());
        }
    }

    private synchronized boolean offer() {
        while (!waiting.isEmpty()) {
            Task.Look next = waiting.element();
            if (!queue.offer(next)) {
                return false;
            }
            outstanding.put(next, Optional.empty());
            waiting.remove();
        }
        return true;
    }

    /** Asks again for what the queue has given up; takes what was answered. */
    private synchronized boolean isAwaiting() {
        outstanding.forEach((look, answer) -> {
            if (answer.isEmpty() && !queue.contains(look.keys().get(0))) {
                waiting.add(look);
            }
        });
        waiting.forEach(outstanding::remove);
        if (!waiting.isEmpty() || outstanding.values().stream().anyMatch(Optional::isEmpty)) {
            return true;
        }
        outstanding.forEach((look, answer) -> {
            for (ChunkId chunk : look.chunks()) {
                Chunk missing = answer.orElseThrow().contains(chunk) ? null : asked.get(chunk);
                if (missing != null) {
                    absent.add(missing);
                }
            }
        });
        outstanding.clear();
        return false;
    }

    /**
     * A helper has looked.
     *
     * @param there those that lie in the store
     * @param done takes the task out of the queue
     */
    synchronized void looked(Task.Look task, List<ChunkId> there, Runnable done) {
        outstanding.computeIfPresent(task, (look, unanswered) -> Optional.of(Set.copyOf(there)));
        done.run();
    }

    /** Records some of those that are not there, unless the catalog says meanwhile that they need not be. */
    private void record(StoreId store) throws CloudMwException {
        List<Chunk> some = new ArrayList<>();
        while (!absent.isEmpty() && some.size() < RECORDED) {
            some.add(absent.remove());
        }
        List<ReplicaRecord> records = new ArrayList<>();
        for (CurrentReplicas copies : Overlay.of(catalog, some)) {
            if (copies.isGood(store)) {
                records.add(new ReplicaRecord(copies.chunk().id(), store, ReplicaState.MISSING, clock.millis()));
            } else if (isKnownMissing(copies, store)) {
                windowMissing++;
            }
        }
        if (!records.isEmpty()) {
            catalog.settle(lease, records);
        }
        windowMissing += records.size();
    }

    /** The window is over. */
    private void reached(StoreId store) {
        String position = walk.position();
        boolean through = atEnd;
        long looked = asked.size() + windowKnown;
        long missing = windowMissing + windowKnown;
        asked.clear();
        windowMissing = 0;
        windowKnown = 0;
        change(store, note -> {
            ReplacedNote found = note.found(looked, missing);
            return through ? found.lookedThrough() : found.at(position);
        });
        if (through) {
            lookedThrough.put(store, repair.passesBegun());
            looking = null;
        }
    }

    /** How far it is, by store. */
    synchronized SortedMap<StoreId, ReplacedProgress> progress() {
        SortedMap<StoreId, ReplacedProgress> progress = new TreeMap<>();
        notes.forEach((store, note) -> progress.put(
                store,
                note.progress(Long.parseLong(note.mark().substring(note.mark().indexOf('@') + 1)))));
        return progress;
    }
}

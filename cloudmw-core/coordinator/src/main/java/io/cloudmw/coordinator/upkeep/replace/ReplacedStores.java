package io.cloudmw.coordinator.upkeep.replace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.upkeep.repair.Repairer;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The recovery of copies that stores lost when their disk or bucket was replaced. It walks over all manifests, asks the
 * store for every copy that the catalog has there, and records missing ones, so that repair makes them again. Copies
 * written since the replacement are found, and so never recorded. It works on one store at a time, in windows of
 * chunks, and stores its position after each window for the next holder. {@link #step} and {@link #look} are called by
 * one thread, other methods by any.
 */
public final class ReplacedStores {
    static final String PREFIX = "replaced/";

    /** The chunks that one step records. */
    private static final int RECORDED = UpkeepRecords.MAX_SETTLED;

    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final UpkeepContext context;
    private final Repairer repair;
    private final StoreWindow window;

    private Map<StoreId, StoreCondition> stores = Map.of();
    private final Map<StoreId, String> noted = new TreeMap<>();
    private long notedNanos;

    /** The store that is being checked, if any. */
    private @Nullable StoreId checking;

    /** By store, how many repair passes had begun when it was checked; a later pass tells what is still missing. */
    private final Map<StoreId, Long> passesWhenChecked = new TreeMap<>();

    @GuardedBy("this")
    private final SortedMap<StoreId, ReplacedStoreNote> notes = new TreeMap<>();

    public ReplacedStores(UpkeepContext context, TaskQueue queue, Repairer repair) {
        this.context = context;
        this.repair = repair;
        this.window = new StoreWindow(queue, new ManifestWalk(context.catalog()));
        this.notedNanos = context.ticker().nanos();
    }

    /** Continues the previous holder's work; called first. */
    public synchronized void begin() throws CloudMwException {
        context.catalog().notes().startingWith(PREFIX).forEach((key, text) -> {
            StoreId store = new StoreId(key.substring(PREFIX.length()));
            notes.put(store, ReplacedStoreNote.parse(text));
            noted.put(store, text);
        });
    }

    /** Takes the present conditions of the stores and the progress of repair, and stores its own progress. */
    public void look(Map<StoreId, StoreCondition> now) throws CloudMwException {
        stores = now;
        takeIn();
        Map<StoreId, Long> remade = repair.takeRemade();
        remade.forEach((store, count) -> change(store, note -> note.made(count)));
        passesWhenChecked.forEach(this::completeUnlessMissing);
        passesWhenChecked.keySet().removeIf(store -> stage(store) != ReplacedStoreNote.Stage.MAKING);
        boolean pressed = isPressed();
        repair.press(pressed);
        if (!pressed || context.ticker().nanos() - notedNanos >= NOTE_NANOS) {
            note();
        }
    }

    private boolean isPressed() {
        return progress().values().stream().anyMatch(store -> !store.complete());
    }

    /** Adds newly replaced stores and removes unknown ones. */
    private synchronized void takeIn() {
        notes.keySet().removeIf(id -> !stores.containsKey(id) || isLost(id));
        for (StoreCondition store : stores.values()) {
            StoreIdentity identity = store.identity();
            String mark = ReplacedStoreNote.mark(identity);
            ReplacedStoreNote note = notes.get(store.id());
            if (identity.replacedAtMillis() > 0
                    && !isLost(store.id())
                    && (note == null || !note.mark().equals(mark))) {
                notes.put(store.id(), ReplacedStoreNote.begin(mark));
                if (store.id().equals(checking)) {
                    checking = null;
                }
            }
        }
        for (Map.Entry<StoreId, ReplacedStoreNote> note : notes.entrySet()) {
            if (note.getValue().stage() == ReplacedStoreNote.Stage.MAKING) {
                passesWhenChecked.putIfAbsent(note.getKey(), repair.passesBegun());
            }
        }
    }

    /** Returns whether a store was declared lost, so that no copies are made in it any more. */
    private boolean isLost(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && store.candidate().store().isLost();
    }

    private void completeUnlessMissing(StoreId store, long passesBegun) {
        if (repair.missing(store, passesBegun).equals(Optional.of(0L))) {
            change(store, ReplacedStoreNote::complete);
        }
    }

    private synchronized ReplacedStoreNote.@Nullable Stage stage(StoreId store) {
        ReplacedStoreNote note = notes.get(store);
        return note == null ? null : note.stage();
    }

    /** A change of a note. */
    @FunctionalInterface
    private interface Change {
        ReplacedStoreNote of(ReplacedStoreNote note);
    }

    private synchronized void change(StoreId store, Change change) {
        notes.computeIfPresent(store, (id, note) -> change.of(note));
    }

    private void note() throws CloudMwException {
        notedNanos = context.ticker().nanos();
        Map<StoreId, String> texts = new TreeMap<>();
        synchronized (this) {
            notes.forEach((store, note) -> texts.put(store, note.text()));
        }
        for (Map.Entry<StoreId, String> text : texts.entrySet()) {
            if (!text.getValue().equals(noted.get(text.getKey()))) {
                context.catalog().notes().put(context.lease(), PREFIX + text.getKey(), text.getValue());
                noted.put(text.getKey(), text.getValue());
            }
        }
        List<StoreId> forgotten = noted.keySet().stream()
                .filter(store -> !texts.containsKey(store))
                .toList();
        for (StoreId store : forgotten) {
            context.catalog().notes().put(context.lease(), PREFIX + store, "");
            noted.remove(store);
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
        StoreId store = checking;
        if (store == null) {
            return beginStore();
        }
        StoreCondition condition = stores.get(store);
        if (condition == null || !condition.available()) {
            // The question to the helper is lost: once the store is back, checking continues from the last note.
            checking = null;
            return false;
        }
        if (window.hasWaiting()) {
            return window.offer();
        }
        if (window.isAwaiting()) {
            return false;
        }
        if (window.hasAbsent()) {
            record(store);
        } else if (window.isAsked() || window.gather(condition)) {
            ended(store);
        }
        return true;
    }

    private boolean beginStore() {
        window.begin(new ManifestWalk(context.catalog()));
        synchronized (this) {
            for (Map.Entry<StoreId, ReplacedStoreNote> note : notes.entrySet()) {
                StoreCondition store = stores.get(note.getKey());
                boolean open = note.getValue().stage() == ReplacedStoreNote.Stage.LOOKING;
                if (open && store != null && store.available()) {
                    checking = note.getKey();
                    window.begin(
                            new ManifestWalk(context.catalog(), note.getValue().position()));
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Records a helper's answer.
     *
     * @param there the copies that are in the store
     * @param done removes the task from the queue
     */
    public void looked(Task.Look task, List<ChunkId> there, Runnable done) {
        window.answered(task, there, done);
    }

    /** Records some missing copies, unless the catalog no longer needs them. */
    private void record(StoreId store) throws CloudMwException {
        List<ReplicaRecord> records = new ArrayList<>();
        for (CurrentReplicas copies : ReplicaOverlay.of(context.catalog(), window.takeAbsent(RECORDED))) {
            if (copies.isGood(store)) {
                records.add(new ReplicaRecord(
                        copies.chunk().id(),
                        store,
                        ReplicaState.MISSING,
                        context.clock().millis()));
            } else if (StoreWindow.isKnownMissing(copies, store)) {
                window.countMissing(1);
            }
        }
        context.settle(records);
        window.countMissing(records.size());
    }

    /** Ends the window. */
    private void ended(StoreId store) {
        StoreWindow.Result result = window.end();
        change(store, note -> {
            ReplacedStoreNote found = note.found(result.looked(), result.missing());
            return result.last() ? found.lookedThrough() : found.at(result.position());
        });
        if (result.last()) {
            passesWhenChecked.put(store, repair.passesBegun());
            checking = null;
        }
    }

    /** Returns the progress, by store. */
    public synchronized SortedMap<StoreId, ReplacedProgress> progress() {
        SortedMap<StoreId, ReplacedProgress> progress = new TreeMap<>();
        notes.forEach((store, note) -> progress.put(
                store,
                note.progress(Long.parseLong(note.mark().substring(note.mark().indexOf('@') + 1)))));
        return progress;
    }
}

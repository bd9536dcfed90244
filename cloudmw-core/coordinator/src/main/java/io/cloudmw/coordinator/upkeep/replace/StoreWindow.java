package io.cloudmw.coordinator.upkeep.replace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The window of chunks whose copies in one store are being checked: a helper is asked which of them exist. {@link #answered}
 * may be called by any thread, other methods by one.
 */
final class StoreWindow {
    /** The chunks that are checked at once. */
    private static final int CHUNKS = 8 * Task.Look.MOST_CHUNKS;

    private final TaskQueue queue;
    private ManifestWalk walk;

    /** The chunks not asked for yet. */
    private final Map<ChunkId, Chunk> gathered = new LinkedHashMap<>();

    private final Map<ChunkId, Chunk> asked = new LinkedHashMap<>();
    private final Deque<Task.Look> waiting = new ArrayDeque<>();
    private final Deque<Chunk> absent = new ArrayDeque<>();
    private boolean atEnd;

    /** The missing copies of the window, counted when the window is over, like the position. */
    private long missing;

    /** The copies of the window that were known to be missing before. */
    private long knownMissing;

    @GuardedBy("this")
    private final Map<Task.Look, Optional<Set<ChunkId>>> outstanding = new LinkedHashMap<>();

    StoreWindow(TaskQueue queue, ManifestWalk walk) {
        this.queue = queue;
        this.walk = walk;
    }

    /**
     * The result of a window.
     *
     * @param position of the walk behind the window
     * @param last whether the walk is at its end
     * @param looked copies that were checked
     * @param missing of these, copies that were not there
     */
    record Result(String position, boolean last, long looked, long missing) {}

    /** Begins with the first window of a walk. */
    void begin(ManifestWalk over) {
        walk = over;
        gathered.clear();
        asked.clear();
        waiting.clear();
        absent.clear();
        missing = 0;
        knownMissing = 0;
        atEnd = false;
        synchronized (this) {
            outstanding.clear();
        }
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    boolean hasAbsent() {
        return !absent.isEmpty();
    }

    boolean isAsked() {
        return !asked.isEmpty();
    }

    /**
     * Adds the copies of the next segment; asks the store when there are enough, or no more.
     *
     * @return whether the window is over, since there was nothing to ask
     */
    boolean gather(StoreCondition store) throws CloudMwException {
        Optional<ChunkWalk.Stretch> next = walk.next();
        if (next.isPresent()) {
            for (CurrentReplicas copies : next.get().chunks()) {
                if (copies.isGood(store.id())) {
                    gathered.put(copies.chunk().id(), copies.chunk());
                } else if (isKnownMissing(copies, store.id())) {
                    knownMissing++;
                }
            }
        }
        atEnd = next.isEmpty();
        if (atEnd || gathered.size() >= CHUNKS) {
            ask(store);
            return asked.isEmpty();
        }
        return false;
    }

    static boolean isKnownMissing(CurrentReplicas copies, StoreId store) {
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
    }

    /** Queues the waiting questions; returns false when the queue is full. */
    synchronized boolean offer() {
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

    /** Repeats the questions that the queue dropped, and takes the answers; returns whether some are still to come. */
    synchronized boolean isAwaiting() {
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
                Chunk one = answer.orElseThrow().contains(chunk) ? null : asked.get(chunk);
                if (one != null) {
                    absent.add(one);
                }
            }
        });
        outstanding.clear();
        return false;
    }

    /**
     * Records a helper's answer.
     *
     * @param there the copies that are in the store
     * @param done removes the task from the queue
     */
    synchronized void answered(Task.Look task, List<ChunkId> there, Runnable done) {
        outstanding.computeIfPresent(task, (look, unanswered) -> Optional.of(Set.copyOf(there)));
        done.run();
    }

    /** Removes and returns some chunks whose copy is not there. */
    List<Chunk> takeAbsent(int most) {
        List<Chunk> some = new ArrayList<>();
        while (!absent.isEmpty() && some.size() < most) {
            some.add(absent.remove());
        }
        return some;
    }

    void countMissing(long copies) {
        missing += copies;
    }

    /** Ends the window; the next one follows it. */
    Result end() {
        Result result = new Result(walk.position(), atEnd, asked.size() + knownMissing, missing + knownMissing);
        asked.clear();
        missing = 0;
        knownMissing = 0;
        return result;
    }
}

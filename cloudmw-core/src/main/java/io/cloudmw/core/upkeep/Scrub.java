package io.cloudmw.core.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.Copies;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.task.ScrubProgress;
import io.cloudmw.core.upkeep.task.StoreCondition;
import io.cloudmw.core.upkeep.task.Task;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Has every good copy of every current version read and checked, round after round. Of each store no more is asked in a second
 * than {@code scrubBytesPerSecond}, on the average over {@value #BURST_SECONDS} s. Where a round is, and what it found, is noted
 * in the catalog every few seconds, behind what was looked at: a coordinator that is started anew goes on from there.
 * {@link #step} and {@link #look} are called by one thread, the rest by any.
 */
final class Scrub {
    /** A copy counts as so many bytes at least: a request costs its store something. */
    static final long LEAST_BYTES = 64 << 10;

    /** So many copies of one store are given out, or wait for it, at once. */
    static final int MOST_OF_A_STORE = 128;

    static final int BURST_SECONDS = 4;

    private final Catalog catalog;
    private final Lease lease;
    private final WorkQueue queue;
    private final Ticker ticker;
    private final WallClock clock;
    private final long everyMillis;
    private final long bytesPerSecond;

    /** When a store may be asked again. */
    private final Map<StoreId, Long> readyNanos = new HashMap<>();

    /** What is left of the walk's last stretch, in the order of its chunks. */
    private final Set<Task.Verify> due = new LinkedHashSet<>();

    private Map<StoreId, StoreCondition> stores = Map.of();
    private boolean resumed;
    private @Nullable ManifestWalk walk;

    private Checkpoint checkpoint;

    @GuardedBy("this")
    private final Map<StoreId, Set<String>> underWay = new HashMap<>();

    @GuardedBy("this")
    private ScrubProgress progress = ScrubProgress.NONE;

    /** @param lease what it is done under; renewed elsewhere */
    Scrub(Catalog catalog, Lease lease, WorkQueue queue, UpkeepOptions options, Ticker ticker, WallClock clock) {
        this.catalog = catalog;
        this.lease = lease;
        this.queue = queue;
        this.ticker = ticker;
        this.clock = clock;
        this.everyMillis = options.scrubEvery().toMillis();
        this.bytesPerSecond = options.scrubBytesPerSecond();
        this.checkpoint = new Checkpoint(ticker);
    }

    /** Takes note of how the stores are, and of what the queue has given up. */
    void look(Map<StoreId, StoreCondition> now) {
        stores = now;
        readyNanos.keySet().retainAll(now.keySet());
        synchronized (this) {
            for (Set<String> copies : underWay.values()) {
                int asked = copies.size();
                copies.removeIf(copy -> !queue.contains(copy));
                progress = progress.skipped(asked - copies.size());
            }
            underWay.values().removeIf(Set::isEmpty);
        }
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        if (!resumed) {
            resume();
        }
        ManifestWalk walking = walk;
        if (walking == null) {
            return begin();
        }
        offerDue();
        note(walking);
        if (!due.isEmpty()) {
            return false;
        }
        Optional<Walk.Stretch> next = walking.next();
        if (next.isPresent()) {
            collect(next.get());
            return true;
        }
        if (underWay().isEmpty()) {
            end();
        }
        return false;
    }

    /** Goes on with the round that a coordinator before this one began. The first one ever begins when its time has come. */
    private void resume() throws CloudMwException {
        String noted = catalog.notes().startingWith(ScrubNote.KEY).getOrDefault(ScrubNote.KEY, "");
        if (noted.isEmpty()) {
            change(ignored -> new ScrubProgress(0, 0, 0, 0, 0, clock.millis(), false));
            put(progress(), ScrubNote.ENDED);
        } else {
            ScrubNote note = ScrubNote.parse(noted);
            change(ignored -> note.progress());
            walk = note.progress().underWay() ? new ManifestWalk(catalog, note.position()) : null;
        }
        resumed = true;
    }

    private boolean begin() throws CloudMwException {
        long now = clock.millis();
        if (now - progress().beganMillis() < everyMillis) {
            return false;
        }
        put(progress().began(now), "");
        change(last -> last.began(now));
        walk = new ManifestWalk(catalog);
        return true;
    }

    private void end() throws CloudMwException {
        put(progress().ended(), ScrubNote.ENDED);
        change(ScrubProgress::ended);
        walk = null;
        checkpoint = new Checkpoint(ticker);
    }

    /** Notes, every few seconds, a position behind which everything was looked at. */
    private void note(ManifestWalk walking) throws CloudMwException {
        Optional<String> behind = checkpoint.reached(
                () -> due.isEmpty()
                        ? walking.position()
                        : walking.positionAt(due.iterator().next().chunk().index()),
                this::underWay);
        if (behind.isPresent()) {
            put(progress(), behind.get());
            checkpoint.noted();
        }
    }

    private void put(ScrubProgress found, String at) throws CloudMwException {
        catalog.notes().put(lease, ScrubNote.KEY, new ScrubNote(found, at).text());
    }

    private void collect(Walk.Stretch stretch) {
        for (Copies copies : stretch.chunks()) {
            for (StoreId id : copies.stores()) {
                StoreCondition store = stores.get(id);
                if (copies.isGood(id) && store != null) {
                    due.add(new Task.Verify(copies.chunk(), store.candidate().store(), stretch.file()));
                }
            }
        }
    }

    /** Offers what is due of stores that may be asked again. */
    private void offerDue() {
        long now = ticker.nanos();
        Iterator<Task.Verify> tasks = due.iterator();
        while (tasks.hasNext()) {
            Task.Verify task = tasks.next();
            StoreId id = task.store().id();
            StoreCondition store = stores.get(id);
            if (store == null || !store.available()) {
                change(counted -> counted.skipped(1));
                tasks.remove();
            } else if (now - readyNanos.getOrDefault(id, now) >= 0 && offered(task)) {
                long rested = Math.max(readyNanos.getOrDefault(id, now), now - TimeUnit.SECONDS.toNanos(BURST_SECONDS));
                readyNanos.put(id, rested + costNanos(task));
                tasks.remove();
            }
        }
    }

    private long costNanos(Task.Verify task) {
        long bytes = Math.max(LEAST_BYTES, task.chunk().range().length());
        return (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }

    /** Nobody reports it before it is under way here. */
    private synchronized boolean offered(Task.Verify task) {
        Set<String> copies = underWay.computeIfAbsent(task.store().id(), store -> new HashSet<>());
        return copies.size() < MOST_OF_A_STORE && queue.offer(task) && copies.add(task.copy());
    }

    private synchronized Set<String> underWay() {
        Set<String> all = new HashSet<>();
        underWay.values().forEach(all::addAll);
        return all;
    }

    /**
     * A copy was looked at.
     *
     * @param bytes that were read
     */
    synchronized void verified(Task.Verify task, long bytes, boolean bad) {
        if (isOver(task)) {
            progress = progress.verified(bytes, bad);
        }
    }

    /** A copy could not be looked at. */
    synchronized void failed(Task.Verify task) {
        if (isOver(task)) {
            progress = progress.skipped(1);
        }
    }

    @GuardedBy("this")
    private boolean isOver(Task.Verify task) {
        return underWay.getOrDefault(task.store().id(), new HashSet<>()).remove(task.copy());
    }

    synchronized ScrubProgress progress() {
        return progress;
    }

    private synchronized void change(UnaryOperator<ScrubProgress> change) {
        progress = change.apply(progress);
    }
}

package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.ScrubProgress;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Has every good copy of every current version read and checked, round after round. Of each store no more is asked in a second
 * than {@code scrubBytesPerSecond}. Where a round is, and what it found, is noted
 * in the catalog every few seconds, behind what was looked at: a coordinator that is started anew goes on from there.
 * {@link #step} and {@link #look} are called by one thread, the rest by any.
 */
final class Scrub {
    private final Catalog catalog;
    private final Lease lease;
    private final Ticker ticker;
    private final WallClock clock;
    private final long everyMillis;

    /** The rest of the walk's last stretch, and the copies of it that helpers have. */
    private final DueCopies due;

    private boolean resumed;
    private @Nullable ManifestWalk walk;

    private Checkpoint checkpoint;

    @GuardedBy("this")
    private ScrubProgress progress = ScrubProgress.NONE;

    /** @param lease what it is done under; renewed elsewhere */
    Scrub(Catalog catalog, Lease lease, WorkQueue queue, UpkeepOptions options, Ticker ticker, WallClock clock) {
        this.catalog = catalog;
        this.lease = lease;
        this.ticker = ticker;
        this.clock = clock;
        this.everyMillis = options.scrubEvery().toMillis();
        this.due = new DueCopies(queue, ticker, options.scrubBytesPerSecond());
        this.checkpoint = new Checkpoint(ticker);
    }

    /** Takes note of how the stores are, and of what the queue has given up. */
    void look(Map<StoreId, StoreCondition> now) {
        int givenUp = due.look(now);
        change(counted -> counted.skipped(givenUp));
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
        int unreadable = due.offer();
        change(counted -> counted.skipped(unreadable));
        note(walking);
        if (!due.isEmpty()) {
            return false;
        }
        Optional<Walk.Stretch> next = walking.next();
        if (next.isPresent()) {
            collect(next.get());
            return true;
        }
        if (due.underWay().isEmpty()) {
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
                () -> due.first()
                        .map(task -> walking.positionAt(task.chunk().index()))
                        .orElseGet(walking::position),
                due::underWay);
        if (behind.isPresent()) {
            put(progress(), behind.get());
            checkpoint.noted();
        }
    }

    private void put(ScrubProgress found, String at) throws CloudMwException {
        catalog.notes().put(lease, ScrubNote.KEY, new ScrubNote(found, at).text());
    }

    private void collect(Walk.Stretch stretch) {
        for (CurrentReplicas copies : stretch.chunks()) {
            for (StoreId id : copies.stores()) {
                StoreCondition store = due.stores().get(id);
                if (copies.isGood(id) && store != null) {
                    due.add(new Task.Verify(copies.chunk(), store.candidate().store(), stretch.file()));
                }
            }
        }
    }

    /**
     * A copy was looked at.
     *
     * @param bytes that were read
     */
    synchronized void verified(Task.Verify task, long bytes, boolean bad) {
        if (due.done(task)) {
            progress = progress.verified(bytes, bad);
        }
    }

    /** A copy could not be looked at. */
    synchronized void failed(Task.Verify task) {
        if (due.done(task)) {
            progress = progress.skipped(1);
        }
    }

    synchronized ScrubProgress progress() {
        return progress;
    }

    private synchronized void change(UnaryOperator<ScrubProgress> change) {
        progress = change.apply(progress);
    }
}

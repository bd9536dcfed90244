package io.cloudmw.coordinator.upkeep.scrub;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.coordinator.upkeep.walk.WalkCheckpoint;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The scrubbing of all good copies of current versions, round after round. Each store is read at
 * {@code scrubBytesPerSecond} at most. Position and findings are stored in the catalog every few seconds, so that a new
 * holder continues there. {@link #step} and {@link #look} are called by one thread, other methods by any.
 */
public final class Scrubber {
    private final UpkeepContext context;
    private final long everyMillis;

    /** The waiting copies of the walk's last stretch, and those that helpers have. */
    private final ScrubPacer due;

    private boolean resumed;
    private @Nullable ManifestWalk walk;

    private WalkCheckpoint checkpoint;

    @GuardedBy("this")
    private ScrubProgress progress = ScrubProgress.NONE;

    public Scrubber(UpkeepContext context, TaskQueue queue) {
        this.context = context;
        this.everyMillis = context.options().scrubEvery().toMillis();
        this.due = new ScrubPacer(queue, context.ticker(), context.options().scrubBytesPerSecond());
        this.checkpoint = new WalkCheckpoint(context.ticker());
    }

    /** Takes the present conditions of the stores, and the tasks that the queue dropped. */
    public void look(Map<StoreId, StoreCondition> now) {
        int givenUp = due.look(now);
        change(counted -> counted.skipped(givenUp));
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
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
        Optional<ChunkWalk.Stretch> next = walking.next();
        if (next.isPresent()) {
            collect(next.get());
            return true;
        }
        if (due.underWay().isEmpty()) {
            end();
        }
        return false;
    }

    /** Continues the round of the previous holder. The first round ever begins when its time has come. */
    private void resume() throws CloudMwException {
        String noted =
                context.catalog().notes().startingWith(ScrubCheckpoint.KEY).getOrDefault(ScrubCheckpoint.KEY, "");
        if (noted.isEmpty()) {
            change(ignored -> new ScrubProgress(0, 0, 0, 0, 0, context.clock().millis(), false));
            put(progress(), ScrubCheckpoint.ENDED);
        } else {
            ScrubCheckpoint note = ScrubCheckpoint.parse(noted);
            change(ignored -> note.progress());
            walk = note.progress().underWay() ? new ManifestWalk(context.catalog(), note.position()) : null;
        }
        resumed = true;
    }

    private boolean begin() throws CloudMwException {
        long now = context.clock().millis();
        if (now - progress().beganMillis() < everyMillis) {
            return false;
        }
        put(progress().began(now), "");
        change(last -> last.began(now));
        walk = new ManifestWalk(context.catalog());
        return true;
    }

    private void end() throws CloudMwException {
        put(progress().ended(), ScrubCheckpoint.ENDED);
        change(ScrubProgress::ended);
        walk = null;
        checkpoint = new WalkCheckpoint(context.ticker());
    }

    /** Stores, every few seconds, a position behind which everything was verified. */
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
        context.catalog().notes().put(context.lease(), ScrubCheckpoint.KEY, new ScrubCheckpoint(found, at).text());
    }

    private void collect(ChunkWalk.Stretch stretch) {
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
     * Records a verified copy.
     *
     * @param bytes that were read
     */
    public synchronized void verified(Task.Verify task, long bytes, boolean bad) {
        if (due.done(task)) {
            progress = progress.verified(bytes, bad);
        }
    }

    /** Records that a copy could not be read. */
    public synchronized void failed(Task.Verify task) {
        if (due.done(task)) {
            progress = progress.skipped(1);
        }
    }

    public synchronized ScrubProgress progress() {
        return progress;
    }

    private synchronized void change(UnaryOperator<ScrubProgress> change) {
        progress = change.apply(progress);
    }
}

package io.cloudmw.coordinator.watch;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one path and everything below it for one sink: a position that moves along the volume's changes as fast as
 * the sink accepts them. Nothing is buffered for a slow sink. If the log loses changes that the sink has not heard, the
 * sink is told so. Safe for any thread.
 */
public final class Watcher implements AutoCloseable {
    /** The changes read and delivered at once. */
    static final int BATCH = 64;

    /** The batches delivered before other watchers get the thread. */
    private static final int TURN = 16;

    private final ChangeFeed owner;
    private final VolumeFeed feed;
    private final VolumeName volume;
    private final String path;
    private final WatchSink sink;
    private final WakeableTask telling;
    private final OptionalLong after;
    private boolean begun;
    private long position;
    private volatile boolean due;
    private volatile boolean over;
    private volatile @Nullable CloudMwException stopped;

    Watcher(ChangeFeed owner, VolumeFeed feed, VolumeName volume, String path, OptionalLong after, WatchSink sink) {
        this.owner = owner;
        this.feed = feed;
        this.volume = volume;
        this.path = path;
        this.after = after;
        this.sink = sink;
        this.telling = new WakeableTask(owner.threads(), this::tell);
    }

    /** Wakes the watcher: there may be changes, or its sink is ready again. Never blocks. */
    public void wake() {
        telling.wake();
    }

    /** Lets the sink hear its position, even without changes. */
    void beat() {
        due = true;
        wake();
    }

    /** Ends the watch with this failure, also when its sink is not ready. Never blocks. */
    public void stop(CloudMwException reason) {
        stopped = reason;
        wake();
    }

    /** Ends the watch; the sink hears nothing more, except a running delivery. Idempotent. */
    @Override
    public void close() {
        over = true;
        owner.forget(this, volume);
    }

    private void tell() {
        if (over) {
            return;
        }
        try {
            CloudMwException reason = stopped;
            if (reason != null) {
                throw reason;
            }
            begin();
            for (int turn = 0; turn < TURN; turn++) {
                if (over || !sink.isReady() || !tellNext()) {
                    beatIfDue();
                    return;
                }
            }
            wake();
        } catch (CloudMwException e) {
            close();
            sink.failed(e);
        }
    }

    private void beatIfDue() {
        if (due && !over && sink.isReady()) {
            told(List.of());
        }
    }

    /**
     * Begins the watch. A watcher that returns after the volume was deleted hears of that; one that heard it already
     * finds no volume.
     */
    private void begin() throws CloudMwException {
        if (begun) {
            return;
        }
        long latest = owner.catalog().changes().position(volume);
        boolean missed = after.isPresent() && after.getAsLong() < latest;
        if (!missed && owner.catalog().volume(volume).isEmpty()) {
            throw CatalogErrors.volumeNotFound(volume);
        }
        begun = true;
        position = after.orElse(latest);
        told(List.of());
    }

    /** Delivers the next batch; returns whether there were changes, delivered or filtered. */
    private boolean tellNext() throws CloudMwException {
        ChangePage next = feed.after(position, BATCH);
        if (!next.known()) {
            position = next.position();
            sink.lost(position);
            return true;
        }
        if (next.items().isEmpty()) {
            return false;
        }
        List<Change> items = untilDeleted(next.items());
        Change last = items.get(items.size() - 1);
        position = last.position();
        List<Change> touching =
                items.stream().filter(change -> change.touches(path)).toList();
        if (!touching.isEmpty()) {
            told(touching);
        }
        if (last.kind() == Change.Kind.VOLUME_DELETED) {
            close();
            sink.end();
        }
        return true;
    }

    private static List<Change> untilDeleted(List<Change> items) {
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).kind() == Change.Kind.VOLUME_DELETED) {
                return items.subList(0, i + 1);
            }
        }
        return items;
    }

    private void told(List<Change> changes) {
        due = false;
        sink.told(changes, position);
    }
}

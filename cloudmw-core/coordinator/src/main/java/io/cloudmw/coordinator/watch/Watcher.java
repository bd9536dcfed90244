package io.cloudmw.coordinator.watch;

import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.Changes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Tells one sink what happens at or below a path: a position that moves along the volume's changes as fast as the sink takes
 * them. Nothing is kept for a sink that is slow; should the log meanwhile forget what it has not heard, it is told so. Safe
 * for any thread.
 */
public final class Watcher implements AutoCloseable {
    /** Changes read, and told, at once. */
    static final int BATCH = 64;

    /** Batches read before others get the thread. */
    private static final int TURN = 16;

    private final ChangeFeed owner;
    private final VolumeFeed feed;
    private final VolumeName volume;
    private final String path;
    private final WatchSink sink;
    private final Wakeable telling;
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
        this.telling = new Wakeable(owner.threads(), this::tell);
    }

    /** There may be something to tell, or its sink is ready again. Never blocks. */
    public void wake() {
        telling.wake();
    }

    /** Its sink is to hear of it, even if nothing happens. */
    void beat() {
        due = true;
        wake();
    }

    /** It is to end, with this failure. */
    void stop(CloudMwException reason) {
        stopped = reason;
        wake();
    }

    /** Its sink is told nothing more, apart from what it is being told. Idempotent. */
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

    /** Whoever comes back after the volume was deleted is told of it; whoever was told finds no volume. */
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

    /** Returns whether there was something, told or not. */
    private boolean tellNext() throws CloudMwException {
        Changes next = feed.after(position, BATCH);
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

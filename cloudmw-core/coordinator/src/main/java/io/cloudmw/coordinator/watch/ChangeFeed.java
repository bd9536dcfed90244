package io.cloudmw.coordinator.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feed of changes to the names of volumes. Watchers hear changes of this process at once, and those of other
 * processes after {@link WatchOptions#poll} at most. It also prunes old changes from the log. Safe for any thread; no
 * method blocks on storage.
 */
public final class ChangeFeed implements AutoCloseable {
    private static final int THREADS = 4;
    private static final Duration PRUNING = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

    private final Catalog catalog;
    private final WatchOptions options;
    private final WallClock clock;
    private final ThreadPoolExecutor threads = Threads.unbounded("coordinator-watch", THREADS);
    private final ScheduledExecutorService timer = Threads.timer("coordinator-watch-timer");
    private final WakeableTask pruning = new WakeableTask(threads, this::prune);

    @GuardedBy("this")
    private final Map<VolumeName, VolumeFeed> feeds = new HashMap<>();

    @GuardedBy("this")
    private int watchers;

    @GuardedBy("this")
    private boolean closed;

    /** Begins to listen to the log of a catalog. The caller closes the catalog after this. */
    public ChangeFeed(Catalog catalog, WatchOptions options, WallClock clock) {
        this.catalog = catalog;
        this.options = options;
        this.clock = clock;
        catalog.changes().onChange(this::changed);
        repeat(() -> volumes().forEach(VolumeFeed::look), options.poll());
        repeat(() -> volumes().forEach(volume -> volume.watchers().forEach(Watcher::beat)), options.heartbeat());
        repeat(pruning::wake, PRUNING);
    }

    private void repeat(Runnable task, Duration pause) {
        var unused = timer.scheduleWithFixedDelay(task, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    Executor threads() {
        return threads;
    }

    Catalog catalog() {
        return catalog;
    }

    /**
     * Watches a path of a volume and everything below it, from the first wake-up on. The sink first hears the position
     * at which the watch begins. A missing volume is a failure that the sink hears.
     *
     * @param path {@code /} or {@code /a/b}; need not exist
     * @param after a position; empty: the volume's last one
     * @throws CloudMwException {@code INVALID_ARGUMENT}; {@code OVERLOADED} at the limit of watchers;
     *     {@code COORDINATOR_UNAVAILABLE} when this is closed
     */
    public Watcher watch(VolumeName volume, String path, OptionalLong after, WatchSink sink) throws CloudMwException {
        DirectoryPath unused = DirectoryPath.of(volume, path);
        if (after.isPresent() && after.getAsLong() < 0) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "position: " + after.getAsLong() + " (expected: >= 0)");
        }
        return add(volume, path, after, sink);
    }

    private synchronized Watcher add(VolumeName volume, String path, OptionalLong after, WatchSink sink)
            throws CloudMwException {
        if (closed) {
            throw stopping();
        }
        if (watchers >= options.watchers()) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "watchers: " + watchers + " already (expected: fewer; coordinator.watch.limit sets the limit)");
        }
        VolumeFeed feed = feeds.computeIfAbsent(volume, name -> new VolumeFeed(name, catalog.changes(), threads));
        Watcher watcher = new Watcher(this, feed, volume, path, after, sink);
        feed.watchers().add(watcher);
        feed.look();
        watchers++;
        return watcher;
    }

    synchronized void forget(Watcher watcher, VolumeName volume) {
        VolumeFeed feed = feeds.get(volume);
        if (feed != null && feed.watchers().remove(watcher)) {
            watchers--;
            if (feed.watchers().isEmpty()) {
                feeds.remove(volume);
            }
        }
    }

    /** Returns how many watchers there are. */
    public synchronized int watchers() {
        return watchers;
    }

    private synchronized void changed(VolumeName volume) {
        VolumeFeed feed = feeds.get(volume);
        if (feed != null) {
            feed.look();
        }
    }

    private synchronized List<VolumeFeed> volumes() {
        return new ArrayList<>(feeds.values());
    }

    /** Prunes changes that are too old or too many. */
    void prune() {
        try {
            long before = clock.millis() - options.age().toMillis();
            int pruned = 1;
            while (pruned > 0) {
                pruned = catalog.changes().prune(before, options.keep());
            }
        } catch (CloudMwException e) {
            LOG.warn("old changes cannot be pruned from the log; retrying", e);
        }
    }

    private static CloudMwException stopping() {
        return new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE, "the coordinator is stopping; retry with another one");
    }

    /** Ends all watches. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
        synchronized (this) {
            closed = true;
        }
        volumes().forEach(volume -> volume.watchers().forEach(watcher -> watcher.stop(stopping())));
        threads.shutdown();
    }
}

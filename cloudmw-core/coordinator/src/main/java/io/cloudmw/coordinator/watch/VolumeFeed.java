package io.cloudmw.coordinator.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of one watched volume. It reads each change once, keeps the last few for all watchers, and wakes them. A
 * watcher further behind, or ahead of what was read here, reads the log itself. Safe for any thread.
 */
final class VolumeFeed {
    /** The changes kept here. */
    static final int RECENT = 128;

    private static final long NOT_YET = -1;
    private static final Logger LOG = LoggerFactory.getLogger(VolumeFeed.class);

    private final VolumeName volume;
    private final ChangeLog log;
    private final WakeableTask reading;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    /** True when the last read failed; only the reading task uses it. */
    private boolean failing;

    @GuardedBy("this")
    private final Change[] recent = new Change[RECENT];

    /** The last change read; earlier ones are kept as far as there is room. */
    @GuardedBy("this")
    private long position = NOT_YET;

    @GuardedBy("this")
    private int kept;

    VolumeFeed(VolumeName volume, ChangeLog log, Executor threads) {
        this.volume = volume;
        this.log = log;
        this.reading = new WakeableTask(threads, this::read);
    }

    /** Schedules a read of new changes. */
    void look() {
        reading.wake();
    }

    /** Returns the watchers to wake; their owner adds and removes them. */
    Set<Watcher> watchers() {
        return watchers;
    }

    /** Returns the changes after a position, from memory if possible. */
    ChangePage after(long after, int limit) throws CloudMwException {
        Optional<ChangePage> here = kept(after, limit);
        return here.isPresent() ? here.get() : log.after(volume, after, limit);
    }

    private synchronized Optional<ChangePage> kept(long after, int limit) {
        if (position == NOT_YET || after > position || after < position - kept) {
            return Optional.empty();
        }
        List<Change> items = new ArrayList<>();
        for (long next = after + 1; next <= Math.min(position, after + limit); next++) {
            items.add(recent[(int) (next % RECENT)]);
        }
        return Optional.of(new ChangePage(items, true, position));
    }

    private void read() {
        try {
            boolean moved = false;
            while (advance()) {
                moved = true;
            }
            failing = false;
            if (moved) {
                watchers.forEach(Watcher::wake);
            }
        } catch (CloudMwException e) {
            if (!failing) {
                LOG.warn("changes of volume={} cannot be read; retrying", volume, e);
            }
            failing = true;
        }
    }

    /** Reads a few changes; returns false when there are none. */
    private boolean advance() throws CloudMwException {
        long known = known();
        if (known == NOT_YET) {
            startAt(log.position(volume));
            return true;
        }
        ChangePage next = log.after(volume, known, RECENT);
        if (!next.known()) {
            startAt(next.position());
            return true;
        }
        keep(next.items());
        return !next.items().isEmpty();
    }

    private synchronized long known() {
        return position;
    }

    private synchronized void startAt(long from) {
        position = from;
        kept = 0;
    }

    private synchronized void keep(List<Change> changes) {
        for (Change change : changes) {
            position = change.position();
            recent[(int) (position % RECENT)] = change;
            kept = Math.min(RECENT, kept + 1);
        }
    }
}

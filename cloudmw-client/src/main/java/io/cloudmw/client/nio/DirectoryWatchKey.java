package io.cloudmw.client.nio;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.Watch;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The registration of a directory. It keeps at most {@value #MAX_EVENTS} events. Safe for any thread. */
final class DirectoryWatchKey implements WatchKey {
    /** The largest number of events that wait for the application; then one {@code OVERFLOW} stands for all. */
    static final int MAX_EVENTS = 512;

    private final DirectoryWatchService service;
    private final VolumePath directory;

    @GuardedBy("this")
    private List<WatchEvent<?>> events = new ArrayList<>();

    @GuardedBy("this")
    private Set<WatchEvent.Kind<?>> kinds;

    @GuardedBy("this")
    private boolean signalled;

    @GuardedBy("this")
    private boolean cancelled;

    @GuardedBy("this")
    private @Nullable Watch watch;

    DirectoryWatchKey(DirectoryWatchService service, VolumePath directory, Set<WatchEvent.Kind<?>> kinds) {
        this.service = service;
        this.directory = directory;
        this.kinds = kinds;
    }

    /** An event that happened {@code count} times in a row. */
    private record Event<T>(
            Kind<T> kind, int count, @Nullable T context) implements WatchEvent<T> {}

    /** Sets the feed of this key, which ends with it. */
    void feed(Watch feed) {
        boolean over;
        synchronized (this) {
            watch = feed;
            over = cancelled;
        }
        if (over) {
            feed.close();
        }
    }

    synchronized void kinds(Set<WatchEvent.Kind<?>> others) {
        kinds = others;
    }

    /** Adds an event, if the application wants its kind. */
    void add(WatchEvent.Kind<Path> kind, String name) {
        synchronized (this) {
            if (cancelled || !kinds.contains(kind)) {
                return;
            }
            Path context = directory.getFileSystem().getPath(name);
            int last = events.size() - 1;
            if (last >= 0 && isRepeated(events.get(last), kind, context)) {
                repeat(last);
            } else if (events.size() < MAX_EVENTS) {
                events.add(new Event<>(kind, 1, context));
            } else {
                dropAll();
            }
        }
        signal();
    }

    /** Returns whether an event counts as another of the last one. */
    private static boolean isRepeated(WatchEvent<?> last, WatchEvent.Kind<Path> kind, Path context) {
        return last.kind() == StandardWatchEventKinds.OVERFLOW
                || (last.kind() == kind && context.equals(last.context()));
    }

    /** Adds an overflow: the application looks at the directory anew. */
    void overflow() {
        synchronized (this) {
            if (cancelled) {
                return;
            }
            dropAll();
        }
        signal();
    }

    /** Puts one overflow in the place of all events, as the JDK does. */
    @GuardedBy("this")
    private void dropAll() {
        events.clear();
        events.add(new Event<>(StandardWatchEventKinds.OVERFLOW, 1, null));
    }

    @GuardedBy("this")
    private void repeat(int index) {
        events.set(index, again(events.get(index)));
    }

    private static <T> Event<T> again(WatchEvent<T> event) {
        return new Event<>(event.kind(), event.count() + 1, event.context());
    }

    private void signal() {
        synchronized (this) {
            if (signalled) {
                return;
            }
            signalled = true;
        }
        service.enqueue(this);
    }

    /** Ends the key, and tells the application. */
    void invalidate() {
        cancel();
        signal();
    }

    @Override
    public synchronized boolean isValid() {
        return !cancelled && service.isOpen();
    }

    @Override
    public synchronized List<WatchEvent<?>> pollEvents() {
        List<WatchEvent<?>> taken = events;
        events = new ArrayList<>();
        return taken;
    }

    @Override
    public boolean reset() {
        synchronized (this) {
            if (signalled && events.isEmpty()) {
                signalled = false;
            }
            if (!signalled || cancelled) {
                return isValid();
            }
        }
        service.enqueue(this);
        return isValid();
    }

    @Override
    public void cancel() {
        Watch feed;
        synchronized (this) {
            cancelled = true;
            feed = watch;
        }
        service.cancelled(directory, this);
        if (feed != null) {
            feed.close();
        }
    }

    @Override
    public VolumePath watchable() {
        return directory;
    }
}

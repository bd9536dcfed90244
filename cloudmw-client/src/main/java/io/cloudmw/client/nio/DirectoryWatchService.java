package io.cloudmw.client.nio;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.file.Change;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watches of directories of a volume, over the feed of its changes. Each key has a watch of its own, which goes on
 * after a coordinator's restart. Safe for any thread.
 */
final class DirectoryWatchService implements WatchService {
    private static final Set<WatchEvent.Kind<?>> KINDS = Set.of(
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_DELETE,
            StandardWatchEventKinds.ENTRY_MODIFY);

    private final VolumeFileSystem fileSystem;

    /** A key is in it at most once, so it has a bound. */
    private final LinkedBlockingDeque<WatchKey> signalled = new LinkedBlockingDeque<>();

    @GuardedBy("this")
    private final Map<VolumePath, DirectoryWatchKey> keys = new HashMap<>();

    private final DirectoryWatchKey end;
    private volatile boolean closed;

    DirectoryWatchService(VolumeFileSystem fileSystem) {
        this.fileSystem = fileSystem;
        this.end = new DirectoryWatchKey(this, fileSystem.getPath("/"), Set.of());
    }

    boolean isOpen() {
        return !closed;
    }

    void enqueue(DirectoryWatchKey key) {
        signalled.add(key);
    }

    synchronized void cancelled(VolumePath directory, DirectoryWatchKey key) {
        keys.remove(directory.canonical(), key);
    }

    /** Registers a directory, or changes the kinds of events of one that is registered. */
    WatchKey register(VolumePath directory, WatchEvent.Kind<?>[] events) throws IOException {
        Set<WatchEvent.Kind<?>> kinds = checked(events);
        VolumePath path = directory.canonical();
        DirectoryWatchKey key;
        synchronized (this) {
            requireOpen();
            DirectoryWatchKey known = keys.get(path);
            if (known != null && known.isValid()) {
                known.kinds(kinds);
                return known;
            }
            key = new DirectoryWatchKey(this, directory, kinds);
        }
        if (!fileSystem.require(path).isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
        start(path, key);
        DirectoryWatchKey kept = kept(path, key);
        if (kept != key) {
            key.cancel();
            kept.kinds(kinds);
        }
        requireOpen();
        return kept;
    }

    /** Keeps a key, unless another thread has registered the directory meanwhile. */
    private synchronized DirectoryWatchKey kept(VolumePath path, DirectoryWatchKey key) {
        if (closed) {
            return end;
        }
        DirectoryWatchKey other = keys.get(path);
        if (other != null && other.isValid()) {
            return other;
        }
        keys.put(path, key);
        return key;
    }

    private static Set<WatchEvent.Kind<?>> checked(WatchEvent.Kind<?>[] events) {
        if (events.length == 0) {
            throw new IllegalArgumentException("events: none (expected: at least one kind)");
        }
        Set<WatchEvent.Kind<?>> kinds = new HashSet<>(List.of(events));
        kinds.remove(StandardWatchEventKinds.OVERFLOW);
        for (WatchEvent.Kind<?> kind : kinds) {
            if (!KINDS.contains(kind)) {
                throw new UnsupportedOperationException("kind: " + kind + " (expected: one of " + KINDS + ")");
            }
        }
        return kinds;
    }

    private void start(VolumePath path, DirectoryWatchKey key) throws IOException {
        Feed feed = new Feed(path, key);
        Watch watch = fileSystem.files().watch(fileSystem.volume(), path.toString(), OptionalLong.empty(), feed);
        key.feed(watch);
        boolean started = false;
        try {
            Long unused = VolumeFileSystem.await(path, watch.started());
            feed.look();
            started = true;
        } finally {
            if (!started) {
                key.cancel();
            }
        }
        var unused = watch.done().whenComplete((nothing, failure) -> {
            if (failure != null) {
                key.overflow();
            }
            key.invalidate();
        });
    }

    /** The changes of one directory, one at a time. */
    private final class Feed implements WatchListener, WatchedNames.Sink {
        private final VolumePath path;
        private final DirectoryWatchKey key;

        @GuardedBy("this")
        private WatchedNames names;

        Feed(VolumePath path, DirectoryWatchKey key) {
            this.path = path;
            this.key = key;
            this.names = of(new HashSet<>());
        }

        private WatchedNames of(Set<String> present) {
            return new WatchedNames(
                    path.toString(),
                    present,
                    other -> fileSystem.find(fileSystem.getPath(other)).isPresent(),
                    this);
        }

        /** Reads the names that are in the directory. Changes wait meanwhile. */
        synchronized void look() throws IOException {
            Set<String> present = new HashSet<>();
            String token = "";
            do {
                Page<FileEntry> page = fileSystem.page(path, token);
                page.items().forEach(entry -> present.add(entry.name()));
                token = page.nextToken();
                if (present.size() > WatchedNames.MAX_NAMES) {
                    throw new FileSystemException(
                            path.toString(),
                            null,
                            "too large to be watched: more than " + WatchedNames.MAX_NAMES + " entries");
                }
            } while (!token.isEmpty());
            names = of(present);
        }

        @Override
        public synchronized void changed(Change change) {
            try {
                names.apply(change);
            } catch (IOException e) {
                lost(change.position());
            }
        }

        @Override
        public synchronized void lost(long position) {
            key.overflow();
            try {
                if (fileSystem.find(path).isEmpty()) {
                    key.invalidate();
                } else {
                    look();
                }
            } catch (IOException e) {
                key.invalidate(); // neither the directory nor a coordinator can be seen
            }
        }

        @Override
        public void event(WatchEvent.Kind<Path> kind, String name) {
            key.add(kind, name);
        }

        @Override
        public void gone() {
            key.invalidate();
        }

        @Override
        public void unknown() {
            lost(0);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedWatchServiceException();
        }
    }

    /** Lets the next one who waits see the end, too. */
    private @Nullable WatchKey checked(@Nullable WatchKey key) {
        if (key == end) {
            signalled.add(end);
        }
        requireOpen();
        return key;
    }

    @Override
    public @Nullable WatchKey poll() {
        requireOpen();
        return checked(signalled.poll());
    }

    @Override
    public @Nullable WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        requireOpen();
        return checked(signalled.poll(timeout, unit));
    }

    @Override
    public WatchKey take() throws InterruptedException {
        requireOpen();
        WatchKey key = signalled.take();
        WatchKey unused = checked(key);
        return key;
    }

    /** Ends all keys; threads that wait get {@link ClosedWatchServiceException}. Idempotent. */
    @Override
    public void close() {
        List<DirectoryWatchKey> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(keys.values());
        }
        left.forEach(DirectoryWatchKey::cancel);
        signalled.clear();
        signalled.add(end);
        fileSystem.closed(this);
    }
}

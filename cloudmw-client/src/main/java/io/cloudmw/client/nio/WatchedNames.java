package io.cloudmw.client.nio;

import io.cloudmw.core.model.file.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.util.Optional;
import java.util.Set;

/**
 * The names in a watched directory. They tell what a change means there: whether a put made a name, and whether a
 * directory went with its last file. Not safe for threads.
 */
final class WatchedNames {
    /** The largest number of names in a watched directory. */
    static final int MAX_NAMES = 100_000;

    private final String directory;
    private final Set<String> names;
    private final Lookup lookup;
    private final Sink sink;

    /** A look at the volume as it is now. */
    interface Lookup {
        /** Returns whether a path names something. */
        boolean exists(String path) throws IOException;
    }

    /** The receiver of what happened in the directory. */
    interface Sink {
        void event(WatchEvent.Kind<Path> kind, String name);

        /** The directory is not there any more. */
        void gone();

        /** The directory has other content than is known. */
        void unknown();
    }

    /**
     * @param directory {@code /} or {@code /a/b}
     * @param names in the directory now
     */
    WatchedNames(String directory, Set<String> names, Lookup lookup, Sink sink) {
        this.directory = directory;
        this.names = names;
        this.lookup = lookup;
        this.sink = sink;
    }

    /** Tells the sink what a change means. */
    void apply(Change change) throws IOException {
        switch (change.kind()) {
            case PUT -> appeared(change.path(), true);
            case DIRECTORY_CREATED -> appeared(change.path(), false);
            case ATTRIBUTES -> changed(change.path());
            case REMOVED, DIRECTORY_REMOVED -> disappeared(change.path());
            case RENAMED -> {
                disappeared(change.from().orElseThrow());
                appeared(change.path(), true);
            }
            case VOLUME_DELETED -> sink.gone();
        }
    }

    private static boolean isAtOrBelow(String path, String above) {
        return path.equals(above) || path.startsWith(above.equals("/") ? above : above + "/");
    }

    /** The name in this directory that leads to a path below it. */
    private Optional<String> child(String path) {
        if (path.equals(directory) || !isAtOrBelow(path, directory)) {
            return Optional.empty();
        }
        String below = path.substring(directory.equals("/") ? 1 : directory.length() + 1);
        int end = below.indexOf('/');
        return Optional.of(end < 0 ? below : below.substring(0, end));
    }

    private String path(String name) {
        return directory.equals("/") ? "/" + name : directory + "/" + name;
    }

    private void appeared(String path, boolean modifies) {
        if (isAtOrBelow(directory, path)) {
            sink.unknown();
            return;
        }
        Optional<String> name = child(path);
        if (name.isEmpty()) {
            return;
        }
        if (names.size() >= MAX_NAMES && !names.contains(name.get())) {
            sink.unknown();
        } else if (names.add(name.get())) {
            sink.event(StandardWatchEventKinds.ENTRY_CREATE, name.get());
        } else if (modifies) {
            changed(path);
        }
    }

    private void changed(String path) {
        Optional<String> name = child(path);
        if (name.isPresent() && path.equals(path(name.get()))) {
            sink.event(StandardWatchEventKinds.ENTRY_MODIFY, name.get());
        }
    }

    private void disappeared(String path) throws IOException {
        if (isAtOrBelow(directory, path)) {
            sink.gone();
            return;
        }
        Optional<String> name = child(path);
        if (name.isEmpty() || !names.contains(name.get())) {
            return;
        }
        // A directory above what was removed may have gone with it.
        if (path.equals(path(name.get())) || !lookup.exists(path(name.get()))) {
            names.remove(name.get());
            sink.event(StandardWatchEventKinds.ENTRY_DELETE, name.get());
            if (names.isEmpty() && !lookup.exists(directory)) {
                sink.gone();
            }
        }
    }
}

package io.cloudmw.core.testing.consistency;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The files of a volume at one position. Immutable. */
public final class NamesAt {
    static final NamesAt NOTHING = new NamesAt(Map.of());

    private final Map<String, Named> files;

    /** The version at a path, and the time of its last change of attributes. */
    private record Named(VersionId version, OptionalLong notedAtMillis) {}

    private NamesAt(Map<String, Named> files) {
        this.files = files;
    }

    public Optional<VersionId> file(String path) {
        return Optional.ofNullable(files.get(path)).map(Named::version);
    }

    /** The time when attributes of the file at a path were changed last; empty: never, or there is no file. */
    public OptionalLong notedAtMillis(String path) {
        Named named = files.get(path);
        return named == null ? OptionalLong.empty() : named.notedAtMillis();
    }

    NamesAt after(Change change) {
        Map<String, Named> next = new TreeMap<>(files);
        switch (change.kind()) {
            case PUT ->
                next.put(change.path(), new Named(change.version().orElseThrow(), notedAtMillis(change.path())));
            case REMOVED -> next.remove(change.path());
            case RENAMED -> move(change.from().orElseThrow(), change.path(), next);
            case ATTRIBUTES ->
                change.version()
                        .ifPresent(version ->
                                next.put(change.path(), new Named(version, OptionalLong.of(change.atMillis()))));
            case DIRECTORY_CREATED, DIRECTORY_REMOVED -> {
                // These are names of files.
            }
            case VOLUME_DELETED -> next.clear();
        }
        return new NamesAt(next);
    }

    /** Moves everything at a path or below it. */
    private void move(String from, String to, Map<String, Named> next) {
        files.forEach((path, named) -> {
            if (path.equals(from) || path.startsWith(from + "/")) {
                next.remove(path);
            }
        });
        files.forEach((path, named) -> {
            if (path.equals(from) || path.startsWith(from + "/")) {
                next.put(to + path.substring(from.length()), named);
            }
        });
    }
}

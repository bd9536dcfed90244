package io.cloudmw.core.testing.consistency;

import io.cloudmw.core.model.Change;
import io.cloudmw.core.model.VersionId;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The files of a volume at one position. Immutable. */
public final class NamesAt {
    static final NamesAt NOTHING = new NamesAt(Map.of());

    private final Map<String, VersionId> files;

    private NamesAt(Map<String, VersionId> files) {
        this.files = files;
    }

    public Optional<VersionId> file(String path) {
        return Optional.ofNullable(files.get(path));
    }

    NamesAt after(Change change) {
        Map<String, VersionId> next = new TreeMap<>(files);
        switch (change.kind()) {
            case PUT -> change.version().ifPresent(version -> next.put(change.path(), version));
            case REMOVED -> next.remove(change.path());
            case RENAMED -> move(change.from().orElseThrow(), change.path(), next);
            case ATTRIBUTES -> {}
            case VOLUME_DELETED -> next.clear();
        }
        return new NamesAt(next);
    }

    /** What is at a path or below it. */
    private void move(String from, String to, Map<String, VersionId> next) {
        files.forEach((path, version) -> {
            if (path.equals(from) || path.startsWith(from + "/")) {
                next.remove(path);
            }
        });
        files.forEach((path, version) -> {
            if (path.equals(from) || path.startsWith(from + "/")) {
                next.put(to + path.substring(from.length()), version);
            }
        });
    }
}

package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Subject;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The subjects of a catalog, guarded by its lock. */
final class SubjectMap implements SubjectRecords {
    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final TreeMap<String, Subject> subjects = new TreeMap<>();

    @GuardedBy("catalog")
    private long revision;

    SubjectMap(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public long revision() throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return revision;
        }
    }

    @Override
    public Optional<Subject> subject(String name) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return Optional.ofNullable(subjects.get(name));
        }
    }

    @Override
    public List<Subject> subjects() throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return List.copyOf(subjects.values());
        }
    }

    @Override
    public Subject change(String name, ValueUpdate<Subject> update) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Subject before = subjects.getOrDefault(name, Subject.unknown(name));
            Subject changed = update.of(before);
            if (changed.equals(before)) {
                return changed;
            }
            Subject next = SubjectRecords.recorded(before, changed, revision + 1);
            if (before.isEmpty() && !next.isEmpty() && subjects.size() >= MAX) {
                SubjectRecords.requireRoom(!subjects.containsKey(name), List.copyOf(subjects.values()));
            }
            if (next.isForgotten()) {
                subjects.remove(name);
            } else {
                subjects.put(name, next);
            }
            revision++;
            return next;
        }
    }
}

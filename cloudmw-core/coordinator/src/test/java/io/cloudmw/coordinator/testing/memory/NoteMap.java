package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.TreeMap;

/** The notes of a catalog, guarded by its lock. */
final class NoteMap implements UpkeepNotes {
    private final InMemoryCatalog catalog;
    private final LeaseMap leases;

    @GuardedBy("catalog")
    private final TreeMap<String, String> texts = new TreeMap<>();

    NoteMap(InMemoryCatalog catalog, LeaseMap leases) {
        this.catalog = catalog;
        this.leases = leases;
    }

    @Override
    public Map<String, String> startingWith(String prefix) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Map<String, String> found = new TreeMap<>(texts.tailMap(prefix));
            found.keySet().removeIf(key -> !key.startsWith(prefix));
            return found;
        }
    }

    @Override
    public void put(Lease lease, String key, String text) throws CloudMwException {
        PageRules.checkNote(key, text);
        synchronized (catalog) {
            catalog.checkOpen();
            leases.requireNewest(lease);
            if (text.isEmpty()) {
                texts.remove(key);
            } else {
                texts.put(key, text);
            }
        }
    }
}

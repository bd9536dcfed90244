package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The leases of a catalog, guarded by its lock. */
final class LeaseMap implements Leases {
    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final TreeMap<String, Lease> newest = new TreeMap<>();

    LeaseMap(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Optional<Lease> acquire(String job, String holder, Duration term, long nowMillis) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Optional<Lease> granted = Lease.next(find(job), job, holder, nowMillis + term.toMillis(), nowMillis);
            granted.ifPresent(lease -> newest.put(job, lease));
            return granted;
        }
    }

    @Override
    public Lease renew(Lease lease, Duration term, long nowMillis) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            requireNewest(lease);
            Lease renewed = lease.until(nowMillis + term.toMillis());
            newest.put(lease.job(), renewed);
            return renewed;
        }
    }

    @Override
    public void release(Lease lease) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            if (lease.isNewest(find(lease.job()))) {
                newest.put(lease.job(), lease.until(0));
            }
        }
    }

    @Override
    public List<Lease> all() throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return List.copyOf(newest.values());
        }
    }

    /** Fences a write; the caller holds the catalog's lock until the write is done. */
    void requireNewest(Lease lease) throws CloudMwException {
        synchronized (catalog) {
            lease.requireNewest(find(lease.job()));
        }
    }

    @GuardedBy("catalog")
    private Optional<Lease> find(String job) {
        return Optional.ofNullable(newest.get(job));
    }
}

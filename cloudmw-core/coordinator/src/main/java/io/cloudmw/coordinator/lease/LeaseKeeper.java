package io.cloudmw.coordinator.lease;

import io.cloudmw.core.error.CloudMwException;

/** A source of a lease during long work; called at least before each of its writes. Safe for any thread. */
@FunctionalInterface
public interface LeaseKeeper {
    /**
     * Returns the lease for the next write, renewed when that is due.
     *
     * @throws CloudMwException {@code LEASE_LOST}: another coordinator does the job now, so this one must stop
     */
    Lease lease() throws CloudMwException;
}

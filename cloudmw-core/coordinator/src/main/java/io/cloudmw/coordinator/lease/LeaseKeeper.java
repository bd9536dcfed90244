package io.cloudmw.coordinator.lease;

import io.cloudmw.core.error.CloudMwException;

/** Keeps a lease while something long is done under it: asked before each of its writes, at least. Safe for any thread. */
@FunctionalInterface
public interface LeaseKeeper {
    /**
     * The lease for the next write, renewed when it is time for that.
     *
     * @throws CloudMwException {@code LEASE_LOST}: another coordinator does the job now, stop
     */
    Lease lease() throws CloudMwException;
}

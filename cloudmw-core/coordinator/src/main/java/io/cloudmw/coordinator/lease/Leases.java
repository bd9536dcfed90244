package io.cloudmw.coordinator.lease;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The leases of background jobs, so that one of several coordinators does each. The first to ask after the last lease's
 * time gets the next; there is no election and no waiting.
 *
 * <p>Clocks only tell when asking is worthwhile. The <em>epoch</em> keeps two holders from both writing: it grows with
 * every grant, and every write of background work names its {@link Lease}. The catalog refuses the write with
 * {@code LEASE_LOST}, in the same transaction, if a newer lease was granted. A holder that was suspended, or whose
 * clock is wrong, may waste work but does no harm. A holder whose time is over continues until another one asks.
 *
 * <p>Atomic, durable and safe for any thread like the {@link Catalog}; calls block.
 */
public interface Leases {
    /**
     * Requests a lease. A holder that has it already gets a newer one, so that a retry after a lost answer does no
     * harm.
     *
     * @param term positive; no other holder gets the lease before {@code nowMillis} plus this
     * @return empty while another holder has it
     */
    Optional<Lease> acquire(String job, String holder, Duration term, long nowMillis) throws CloudMwException;

    /**
     * Changes the end of a lease, later or earlier.
     *
     * @return the lease with that end
     * @throws CloudMwException {@code LEASE_LOST} when a newer one was granted, or it was released
     */
    Lease renew(Lease lease, Duration term, long nowMillis) throws CloudMwException;

    /** Releases a lease, so that the next request gets it. Does nothing when a newer one was granted. */
    void release(Lease lease) throws CloudMwException;

    /** Returns the newest lease of every job that ever had one, by job; its time may be over. */
    List<Lease> all() throws CloudMwException;
}

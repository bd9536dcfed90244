package io.cloudmw.coordinator.lease;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Who does which background job, so that of several coordinators one does it. A lease is granted to whoever asks first
 * once the last one's time is over; nobody is elected, nobody waits.
 *
 * <p>Clocks only say when it is worth asking. What keeps two holders from both writing is the <em>epoch</em>: it grows with
 * every grant, every write of background work names the {@link Lease} it is done under, and the catalog refuses it with
 * {@code LEASE_LOST}, in the same transaction, unless no newer one was granted. So a holder that was stopped for an hour, or
 * whose clock is wrong, may waste work and does no harm. A holder whose time is over goes on as long as nobody else came.
 *
 * <p>Atomic, durable and safe for any thread like the {@link Catalog} that gives it out; calls block.
 */
public interface Leases {
    /**
     * Asks for a lease. A holder that has it already gets a newer one, and its former one is over: so a repeated call whose
     * answer was lost does no harm.
     *
     * @param term positive; the lease is granted to nobody else until {@code nowMillis} and this have passed
     * @return empty while somebody else has it
     */
    Optional<Lease> acquire(String job, String holder, Duration term, long nowMillis) throws CloudMwException;

    /**
     * Gives a lease another end, later or earlier.
     *
     * @return it with that end
     * @throws CloudMwException {@code LEASE_LOST} when a newer one was granted, or it was given back
     */
    Lease renew(Lease lease, Duration term, long nowMillis) throws CloudMwException;

    /** Gives a lease back: who asks next gets it. Nothing happens when a newer one was granted. */
    void release(Lease lease) throws CloudMwException;

    /** The newest lease of every job that ever had one, by job; its time may be over. */
    List<Lease> all() throws CloudMwException;
}

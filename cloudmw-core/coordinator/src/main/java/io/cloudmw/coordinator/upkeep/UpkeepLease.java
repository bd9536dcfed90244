package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;

/**
 * The lease of upkeep, which one coordinator holds as long as it lives, since the work under way is in its memory.
 * {@link #keep} is called by one thread, other methods by any.
 */
public final class UpkeepLease {
    public static final String JOB = "upkeep";

    private final Leases leases;
    private final String holder;
    private final Duration term;
    private final WallClock clock;

    @GuardedBy("this")
    private Optional<Lease> held = Optional.empty();

    UpkeepLease(Leases leases, String holder, Duration term, WallClock clock) {
        this.leases = leases;
        this.holder = holder;
        this.term = term;
        this.clock = clock;
    }

    /** Renews the lease, or asks for it; called several times per term. */
    synchronized void keep() throws CloudMwException {
        Optional<Lease> before = held;
        long now = clock.millis();
        if (before.isEmpty()) {
            held = leases.acquire(JOB, holder, term, now);
        } else if (before.get().untilMillis() - now < term.toMillis() / 2) {
            try {
                held = Optional.of(leases.renew(before.get(), term, now));
            } catch (CloudMwException e) {
                if (e.code() != ErrorCode.LEASE_LOST) {
                    throw e;
                }
                held = Optional.empty();
            }
        }
    }

    /** Gives the lease back, so that another coordinator gets it at once. */
    synchronized void release() throws CloudMwException {
        Optional<Lease> before = held;
        held = Optional.empty();
        if (before.isPresent()) {
            leases.release(before.get());
        }
    }

    /** Drops the lease after a write under it was refused; this coordinator then asks again. */
    synchronized void lost(long epoch) {
        held = held.filter(lease -> lease.epoch() != epoch);
    }

    /** Returns the lease to write under; empty: another coordinator holds it. */
    synchronized Optional<Lease> lease() {
        return held;
    }
}

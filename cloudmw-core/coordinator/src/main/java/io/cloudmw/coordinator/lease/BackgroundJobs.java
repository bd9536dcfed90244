package io.cloudmw.coordinator.lease;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;

/**
 * The background jobs of which each is done by one coordinator at a time, and no more often than its interval. The
 * first coordinator to ask does the job. It keeps the lease while the job runs; then the lease rests until the job is
 * due again. If the holder dies, another one takes over when the term ends. The writes of a holder that was suspended
 * are refused: see {@link Leases}. Effects of a job outside the catalog must be repeatable.
 *
 * <p>Safe for any thread, but one job must not run twice at once in one instance: the later run would take the lease
 * from the earlier.
 */
public final class BackgroundJobs {
    private final Leases leases;
    private final String holder;
    private final Duration term;
    private final WallClock clock;

    /** A job that runs under a lease. */
    @FunctionalInterface
    public interface Job<T> {
        /**
         * Runs the job on the caller's thread.
         *
         * @throws CloudMwException {@code LEASE_LOST} when another coordinator has taken over
         */
        T run(HeldLease right) throws CloudMwException;
    }

    /**
     * @param holder unique among running coordinators; equal after a restart only if no other coordinator could have
     *     started meanwhile
     * @param term how long after a holder's death another coordinator takes over
     */
    public BackgroundJobs(Leases leases, String holder, Duration term, WallClock clock) {
        this.leases = leases;
        this.holder = holder;
        this.term = term;
        this.clock = clock;
    }

    /**
     * Runs a job, unless another coordinator runs it, or ran it less than {@code every} ago.
     *
     * @param every positive
     * @return the job's result; empty when it did not run here
     * @throws CloudMwException the job's error, after which other coordinators may run it at once; {@code LEASE_LOST}
     */
    public <T> Optional<T> run(String job, Duration every, Job<T> work) throws CloudMwException {
        Optional<Lease> granted = leases.acquire(job, holder, term, clock.millis());
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        HeldLease right = new HeldLease(granted.get());
        T result;
        try {
            result = work.run(right);
        } catch (CloudMwException | RuntimeException | Error e) {
            giveBack(right, e);
            throw e;
        }
        leases.renew(right.kept(), every, clock.millis());
        return Optional.of(result);
    }

    private void giveBack(HeldLease right, Throwable cause) {
        try {
            leases.release(right.kept());
        } catch (CloudMwException e) {
            cause.addSuppressed(e);
        }
    }

    /** A lease that is renewed on use. Safe for any thread. */
    public final class HeldLease implements LeaseKeeper {
        private Lease lease;

        private HeldLease(Lease lease) {
            this.lease = lease;
        }

        /**
         * Returns the lease for the next write, renewed when half of its time has passed; called at least that often.
         *
         * @throws CloudMwException {@code LEASE_LOST}: another coordinator does the job now, so this one must stop
         */
        @Override
        public synchronized Lease lease() throws CloudMwException {
            long now = clock.millis();
            if (lease.untilMillis() - now < term.toMillis() / 2) {
                lease = leases.renew(lease, term, now);
            }
            return lease;
        }

        private synchronized Lease kept() {
            return lease;
        }
    }
}

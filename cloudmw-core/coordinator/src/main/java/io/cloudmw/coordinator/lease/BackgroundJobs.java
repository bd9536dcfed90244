package io.cloudmw.coordinator.lease;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;

/**
 * Does background jobs of which each is to be done by one of several coordinators at a time, and no more often than it
 * should. Who comes first does it; the lease is kept while the job runs, and then rests until the job is due again. If its
 * holder dies, the next one comes when the lease's term is over. A holder that was stopped meanwhile finds its writes refused:
 * see {@link Leases}. What a job does outside the catalog, it must be able to do twice.
 *
 * <p>Safe for any thread, but one job must not run twice at once in one instance: the later run would take it from the former.
 */
public final class BackgroundJobs {
    private final Leases leases;
    private final String holder;
    private final Duration term;
    private final WallClock clock;

    /** What is done under a lease. */
    @FunctionalInterface
    public interface Job<T> {
        /**
         * Does it, on the caller's thread.
         *
         * @throws CloudMwException {@code LEASE_LOST} when another coordinator has taken over
         */
        T run(Right right) throws CloudMwException;
    }

    /**
     * @param holder different for each coordinator that runs at once; the same again after a restart if nobody else could
     *     have started meanwhile
     * @param term how long after a holder's death a job goes on elsewhere
     */
    public BackgroundJobs(Leases leases, String holder, Duration term, WallClock clock) {
        this.leases = leases;
        this.holder = holder;
        this.term = term;
        this.clock = clock;
    }

    /**
     * Does a job, unless another coordinator does it, or it was done less than {@code every} ago elsewhere.
     *
     * @param every positive
     * @return what it gave; empty when it was not done here
     * @throws CloudMwException what it threw: others may then do it at once; {@code LEASE_LOST}
     */
    public <T> Optional<T> run(String job, Duration every, Job<T> work) throws CloudMwException {
        Optional<Lease> granted = leases.acquire(job, holder, term, clock.millis());
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        Right right = new Right(granted.get());
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

    private void giveBack(Right right, Throwable cause) {
        try {
            leases.release(right.kept());
        } catch (CloudMwException e) {
            cause.addSuppressed(e);
        }
    }

    /** A lease that is kept as long as it is asked for. Safe for any thread. */
    public final class Right implements LeaseKeeper {
        private Lease lease;

        private Right(Lease lease) {
            this.lease = lease;
        }

        /**
         * The lease for the next write, renewed when half of its time has passed: to be asked for at least that often.
         *
         * @throws CloudMwException {@code LEASE_LOST}: another coordinator does the job now, stop
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

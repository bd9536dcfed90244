package io.cloudmw.coordinator.lease;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The right to do a background job, as it was granted or last renewed. Its epoch, never a clock, decides whether it
 * still holds: see {@link Leases}.
 *
 * @param job the name of the job: 1..80 lower-case letters, digits and hyphens
 * @param holder the process: 1..{@value #MAX_HOLDER} characters, unique among those that could hold it at once
 * @param epoch from 1; higher than any that was granted for this job before
 * @param untilMillis civil time from which on it may be granted to another holder; 0 when it was released
 */
public record Lease(String job, String holder, long epoch, long untilMillis) {
    static final int MAX_HOLDER = 512;
    private static final Pattern JOB = Pattern.compile("[a-z0-9-]{1,80}");

    public Lease {
        if (!JOB.matcher(job).matches()) {
            throw new IllegalArgumentException("job: \"" + job + "\" (expected: " + JOB + ")");
        }
        if (holder.isEmpty() || holder.length() > MAX_HOLDER) {
            throw new IllegalArgumentException(
                    "holder: " + holder.length() + " characters (expected: 1.." + MAX_HOLDER + ")");
        }
        if (epoch < 1 || untilMillis < 0) {
            throw new IllegalArgumentException("epoch " + epoch + ", until " + untilMillis);
        }
    }

    /**
     * Returns the lease that a request gets now, by the rule of all catalogs.
     *
     * @param last the job's newest lease; empty when it never had one
     * @return empty while another holder has it
     */
    public static Optional<Lease> next(
            Optional<Lease> last, String job, String holder, long untilMillis, long nowMillis) {
        boolean taken = last.isPresent()
                && last.get().untilMillis > nowMillis
                && !last.get().holder.equals(holder);
        long epoch = last.map(lease -> lease.epoch).orElse(0L) + 1;
        return taken ? Optional.empty() : Optional.of(new Lease(job, holder, epoch, untilMillis));
    }

    /** Returns this lease with another end. */
    public Lease until(long millis) {
        return new Lease(job, holder, epoch, millis);
    }

    /** Returns whether this is the newest lease granted, and not released. */
    public boolean isNewest(Optional<Lease> last) {
        return last.isPresent() && last.get().epoch == epoch && last.get().untilMillis > 0;
    }

    /**
     * Fences a write.
     *
     * @param last the job's newest lease, read in the writing transaction
     * @throws CloudMwException {@code LEASE_LOST} unless this {@link #isNewest}
     */
    public void requireNewest(Optional<Lease> last) throws CloudMwException {
        if (!isNewest(last)) {
            throw lost(last);
        }
    }

    private CloudMwException lost(Optional<Lease> last) {
        String now = last.filter(newest -> newest.untilMillis() > 0)
                .map(newest -> newest.holder() + " has epoch " + newest.epoch())
                .orElse("no coordinator holds it now");
        return new CloudMwException(
                ErrorCode.LEASE_LOST,
                "job " + job + ": " + holder + " has lost its lease with epoch " + epoch + "; " + now);
    }
}

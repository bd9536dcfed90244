package io.cloudmw.core.schedule;

import java.util.Comparator;

/**
 * A work item in a {@link FairScheduler}: queued, served, or over. It belongs to the scheduler, whose thread alone
 * uses it.
 *
 * @param <T> the work
 */
public final class ScheduledWork<T> {
    /** Earliest deadline first, then in the order of arrival. */
    static final Comparator<ScheduledWork<?>> EARLIEST_DEADLINE_FIRST = Comparator.<ScheduledWork<?>>comparingLong(
                    turn -> turn.deadlineNanos)
            .thenComparingLong(turn -> turn.sequence);

    /** The states of a work item. */
    enum State {
        QUEUED,
        SERVED,
        OVER
    }

    private final Tenant tenant;
    private final T work;
    private final long costBytes;
    private final long deadlineNanos;
    private final long sequence;
    private final long submittedNanos;
    private State state = State.QUEUED;
    /** The bytes charged to its class's floor for it. */
    private double floorBytes;

    ScheduledWork(Tenant tenant, T work, long costBytes, long deadlineNanos, long sequence, long submittedNanos) {
        this.tenant = tenant;
        this.work = work;
        this.costBytes = costBytes;
        this.deadlineNanos = deadlineNanos;
        this.sequence = sequence;
        this.submittedNanos = submittedNanos;
    }

    /** The tenant it belongs to. */
    public Tenant tenant() {
        return tenant;
    }

    /** The work itself. */
    public T work() {
        return work;
    }

    /** The bytes it was submitted with. */
    public long costBytes() {
        return costBytes;
    }

    /** The time of its submission, by the clock of the scheduler's caller. */
    public long submittedNanos() {
        return submittedNanos;
    }

    double floorBytes() {
        return floorBytes;
    }

    void chargeFloor(double bytes) {
        floorBytes = bytes;
    }

    State state() {
        return state;
    }

    void become(State next) {
        state = next;
    }
}

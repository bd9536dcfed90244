package io.cloudmw.core.schedule;

import java.util.Comparator;

/**
 * One piece of work in a {@link FairScheduler}: it waits for its turn, has it, or gave it up. Belongs to the scheduler, whose
 * thread alone looks at it.
 *
 * @param <T> what is to be done
 */
public final class ScheduledWork<T> {
    /** Earliest deadline first, then in the order of arrival. */
    static final Comparator<ScheduledWork<?>> EARLIEST_DEADLINE_FIRST = Comparator.<ScheduledWork<?>>comparingLong(
                    turn -> turn.deadlineNanos)
            .thenComparingLong(turn -> turn.sequence);

    /** What became of it. */
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
    /** What its class's floor was charged with for it. */
    private double floorBytes;

    ScheduledWork(Tenant tenant, T work, long costBytes, long deadlineNanos, long sequence, long submittedNanos) {
        this.tenant = tenant;
        this.work = work;
        this.costBytes = costBytes;
        this.deadlineNanos = deadlineNanos;
        this.sequence = sequence;
        this.submittedNanos = submittedNanos;
    }

    /** On whose behalf. */
    public Tenant tenant() {
        return tenant;
    }

    /** What is to be done. */
    public T work() {
        return work;
    }

    /** Bytes it was submitted with. */
    public long costBytes() {
        return costBytes;
    }

    /** When it was submitted, by the scheduler's caller's clock. */
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

package io.cloudmw.lab.torture.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A change that a client requested. It takes effect once, at some time from {@link #invoked} on, or never. If its
 * answer was lost, the outcome is unknown until an answer shows the effect. Belongs to the {@link Model}, under its
 * lock.
 */
public final class Mutation {
    static final long NEVER = Long.MAX_VALUE;

    private final long number;
    private final String what;
    private final boolean put;
    private final long invoked;
    private final List<Register.Value<?>> values = new ArrayList<>();
    private long by = NEVER;
    private long lostAt = NEVER;
    private boolean refused;

    Mutation(long number, String what, boolean put, long invoked) {
        this.number = number;
        this.what = what;
        this.put = put;
        this.invoked = invoked;
    }

    void makes(Register.Value<?> value) {
        values.add(value);
    }

    long invoked() {
        return invoked;
    }

    /** Returns the time by which the change had taken effect; {@link #NEVER} while that is unknown. */
    long by() {
        return by;
    }

    boolean isPut() {
        return put;
    }

    /** Returns the time at which the call ended without an answer; {@link #NEVER} if it did not. */
    long lostAt() {
        return lostAt;
    }

    void lost(long now) {
        lostAt = now;
    }

    boolean isRefused() {
        return refused;
    }

    void refused() {
        refused = true;
    }

    /** Records that the change, with all its effects, had taken effect by {@code now}. */
    void tookEffect(long now) {
        if (now < by) {
            by = now;
            values.forEach(value -> value.register().supersede(value, invoked, now));
        }
    }

    @Override
    public String toString() {
        return "#" + number + " " + what;
    }
}

package io.cloudmw.lab.torture.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A change that a client asked for. It takes effect once, at some moment from {@link #invoked} on, or never: where its answer
 * was lost nobody knows, until what it did is seen. Belongs to the {@link Model}, under its lock.
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

    /** When it had taken effect at the latest; {@link #NEVER} while nobody knows whether it has. */
    long by() {
        return by;
    }

    boolean isPut() {
        return put;
    }

    /** Its answer was lost at this time; {@link #NEVER}: it was not. */
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

    /** It had taken effect by {@code now}: with all that it did. */
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

package io.cloudmw.lab.torture.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The possible states of one name over time: each state that a {@link Mutation} caused, or may have caused. A state is
 * current during one interval, which begins when its mutation takes effect. Belongs to the {@link Model}, under its
 * lock.
 *
 * @param <S> the type of a state
 */
final class Register<S> {
    /** A state with the limits of the interval in which it may be current. */
    static final class Value<S> {
        private final Register<S> register;
        private final Mutation mutation;
        private final S state;
        /** The time from which no new call may see this state. */
        private long until = Mutation.NEVER;

        private Value(Register<S> register, Mutation mutation, S state) {
            this.register = register;
            this.mutation = mutation;
            this.state = state;
        }

        Register<S> register() {
            return register;
        }

        Mutation mutation() {
            return mutation;
        }

        S state() {
            return state;
        }

        /** Returns whether a call from {@code from} to {@code to} may have seen this state. */
        boolean isAllowed(long from, long to) {
            return !mutation.isRefused() && mutation.invoked() <= to && until >= from;
        }

        @Override
        public String toString() {
            String fate;
            if (mutation.isRefused()) {
                fate = "refused";
            } else if (mutation.by() != Mutation.NEVER) {
                fate = "done by " + Model.seconds(mutation.by());
            } else {
                fate = mutation.lostAt() == Mutation.NEVER ? "under way" : "its answer was lost";
            }
            return mutation + ", asked for at " + Model.seconds(mutation.invoked()) + ", " + fate + ": " + state
                    + (until == Mutation.NEVER ? "" : ", superseded by " + Model.seconds(until));
        }
    }

    private final List<Value<S>> values = new ArrayList<>();

    Register(Mutation origin, S state) {
        values.add(new Value<>(this, origin, state));
    }

    Value<S> add(Mutation mutation, S state) {
        Value<S> value = new Value<>(this, mutation, state);
        values.add(value);
        mutation.makes(value);
        return value;
    }

    List<Value<S>> values() {
        return values;
    }

    /** Returns the matching states that a call from {@code from} to {@code to} may have seen. */
    List<Value<S>> allowed(Predicate<S> wanted, long from, long to) {
        return values.stream()
                .filter(value -> wanted.test(value.state) && value.isAllowed(from, to))
                .toList();
    }

    /** Records that a call from {@code from} to {@code to} saw a state. */
    void held(Value<S> value, long from, long to) {
        value.mutation.tookEffect(to);
        supersede(value, from, to);
    }

    /** Ends, by {@code to}, all states that had taken effect before {@code from}. */
    void supersede(Value<?> value, long from, long to) {
        for (Value<S> other : values) {
            if (other != value && other.mutation.by() <= from) {
                other.until = Math.min(other.until, to);
            }
        }
    }

    /**
     * Ends the states of puts that were lost before an acknowledged put began. Each of them expects a version that the
     * acknowledged put has replaced.
     */
    void barLostPuts(Value<?> put, long to) {
        for (Value<S> other : values) {
            if (other != put
                    && other.mutation.isPut()
                    && other.mutation.lostAt() <= put.mutation().invoked()) {
                other.until = Math.min(other.until, to);
            }
        }
    }

    /** Returns the current state, if certain. */
    Optional<Value<S>> settled() {
        List<Value<S>> left = live();
        return left.size() == 1 && left.get(0).mutation.by() != Mutation.NEVER
                ? Optional.of(left.get(0))
                : Optional.empty();
    }

    /** Returns the states that may be current from now on. */
    List<Value<S>> live() {
        return values.stream()
                .filter(value -> value.until == Mutation.NEVER && !value.mutation.isRefused())
                .toList();
    }
}

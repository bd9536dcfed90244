package io.cloudmw.lab.torture.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The possible states of one name over time: every state that a {@link Mutation} gave it, or may have. A state is the
 * current one for one stretch of time, which begins when its mutation takes effect. Belongs to the {@link Model}, under its
 * lock.
 *
 * @param <S> what a state is
 */
final class Register<S> {
    /** A state, and for how long it may be the current one. */
    static final class Value<S> {
        private final Register<S> register;
        private final Mutation mutation;
        private final S state;
        /** Who asks after this time is not shown it any more. */
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

        /** Whether somebody who asked at {@code from} and had his answer at {@code to} may have been shown it. */
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

    /** The values of such a state that somebody may have been shown who asked at {@code from} until {@code to}. */
    List<Value<S>> allowed(Predicate<S> wanted, long from, long to) {
        return values.stream()
                .filter(value -> wanted.test(value.state) && value.isAllowed(from, to))
                .toList();
    }

    /** It was the current one at some moment between these two. */
    void held(Value<S> value, long from, long to) {
        value.mutation.tookEffect(to);
        supersede(value, from, to);
    }

    /** What had taken effect before {@code from} is over by {@code to}. */
    void supersede(Value<?> value, long from, long to) {
        for (Value<S> other : values) {
            if (other != value && other.mutation.by() <= from) {
                other.until = Math.min(other.until, to);
            }
        }
    }

    /**
     * A put that was acknowledged bars those that were lost before it began: each wants to replace what was there before,
     * and that is there no more.
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

    /** What it is from now on until it is changed, where there is no doubt. */
    Optional<Value<S>> settled() {
        List<Value<S>> left = live();
        return left.size() == 1 && left.get(0).mutation.by() != Mutation.NEVER
                ? Optional.of(left.get(0))
                : Optional.empty();
    }

    /** What it may be from now on. */
    List<Value<S>> live() {
        return values.stream()
                .filter(value -> value.until == Mutation.NEVER && !value.mutation.isRefused())
                .toList();
    }
}

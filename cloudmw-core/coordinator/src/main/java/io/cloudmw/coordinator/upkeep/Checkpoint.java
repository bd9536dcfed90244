package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.time.Ticker;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A position of a walk that is to be noted, every few seconds: once all that was under way when the walk was there is over, so
 * that nothing before it is left to do. Confined to one thread.
 */
final class Checkpoint {
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Ticker ticker;
    private @Nullable String position;
    private Set<String> before = Set.of();
    private long notedNanos;

    Checkpoint(Ticker ticker) {
        this.ticker = ticker;
        this.notedNanos = ticker.nanos();
    }

    /**
     * What is to be noted now, if anything; until {@link #noted} is called the same again.
     *
     * @param at where the walk is
     * @param underWay keys of tasks that are not over
     */
    Optional<String> reached(Supplier<String> at, Supplier<Set<String>> underWay) {
        if (position == null && ticker.nanos() - notedNanos >= NOTE_NANOS) {
            position = at.get();
            before = new HashSet<>(underWay.get());
        }
        if (position == null) {
            return Optional.empty();
        }
        if (!before.isEmpty()) {
            before.retainAll(underWay.get());
        }
        return before.isEmpty() ? Optional.of(position) : Optional.empty();
    }

    /** What {@link #reached} gave is noted. */
    void noted() {
        position = null;
        notedNanos = ticker.nanos();
    }
}

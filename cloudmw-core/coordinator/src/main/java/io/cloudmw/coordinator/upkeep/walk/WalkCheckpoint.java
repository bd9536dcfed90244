package io.cloudmw.coordinator.upkeep.walk;

import io.cloudmw.core.time.Ticker;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint of a walk, stored every few seconds. A position is stored when all tasks that were under way at that
 * position are over, so that nothing before it is left to do. Confined to one thread.
 */
public final class WalkCheckpoint {
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Ticker ticker;
    private @Nullable String position;
    private Set<String> before = Set.of();
    private long notedNanos;

    public WalkCheckpoint(Ticker ticker) {
        this.ticker = ticker;
        this.notedNanos = ticker.nanos();
    }

    /**
     * Returns the position to store now, if any; repeats it until {@link #noted} is called.
     *
     * @param at returns the position of the walk
     * @param underWay returns the keys of tasks that are not over
     */
    public Optional<String> reached(Supplier<String> at, Supplier<Set<String>> underWay) {
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

    /** Confirms that the position of {@link #reached} was stored. */
    public void noted() {
        position = null;
        notedNanos = ticker.nanos();
    }
}

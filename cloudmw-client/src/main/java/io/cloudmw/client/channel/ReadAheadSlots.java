package io.cloudmw.client.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The limit on reads that run ahead at once. Each keeps a thread and memory of the client, so an idle one makes room for
 * another, and ends by itself after a while. Safe for any thread.
 */
final class ReadAheadSlots {
    /** After this time without a read, a fetch gives its slot to another one. */
    static final Duration IDLE = Duration.ofSeconds(1);

    /** After this time without a read, a fetch ends. */
    static final Duration ABANDONED = Duration.ofSeconds(10);

    private final int slots;

    @GuardedBy("this")
    private final Set<SequentialFetch> taken = new HashSet<>();

    ReadAheadSlots(int slots) {
        this.slots = slots;
    }

    /**
     * Takes a slot for a fetch, until it is over.
     *
     * @return false: all slots are taken by fetches that are in use
     */
    boolean take(SequentialFetch fetch) {
        Optional<SequentialFetch> displaced = Optional.empty();
        synchronized (this) {
            taken.removeIf(SequentialFetch::isOver);
            if (taken.size() >= slots) {
                displaced = taken.stream()
                        .filter(other -> other.idleNanos() >= IDLE.toNanos())
                        .max(Comparator.comparingLong(SequentialFetch::idleNanos));
                if (displaced.isEmpty()) {
                    return false;
                }
                taken.remove(displaced.get());
            }
            taken.add(fetch);
        }
        displaced.ifPresent(SequentialFetch::close);
        return true;
    }

    /** Ends the fetches that were idle for {@link #ABANDONED}. */
    void endAbandoned() {
        List<SequentialFetch> idle;
        synchronized (this) {
            taken.removeIf(SequentialFetch::isOver);
            idle = taken.stream()
                    .filter(fetch -> fetch.idleNanos() >= ABANDONED.toNanos())
                    .toList();
        }
        idle.forEach(SequentialFetch::close);
    }
}

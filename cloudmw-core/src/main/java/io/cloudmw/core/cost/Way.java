package io.cloudmw.core.cost;

import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.Optional;

/**
 * A way to read.
 *
 * @param streams attempts under way at once, at most
 * @param hedgeDelay after what a late attempt is made up for at another store; empty: by each store's own p95
 */
public record Way(Mode mode, int streams, Optional<Duration> hedgeDelay) {
    /** Streams to each helper in the modes that read several blocks at once. */
    private static final int LANES = 4;

    public Way {
        if (streams < 1) {
            throw new IllegalArgumentException("streams: " + streams + " (expected: >= 1)");
        }
        if (hedgeDelay.isPresent() && hedgeDelay.get().isNegative()) {
            throw new IllegalArgumentException("hedgeDelay: " + hedgeDelay.get() + " (expected: >= 0)");
        }
    }

    /** As a mode reads when nothing else is said. */
    public static Way usual(Mode mode, int helpers, int replicas) {
        int several = Math.max(1, helpers) * LANES;
        int streams = switch (mode) {
            case SINGLE -> 1;
            case ROUNDS -> replicas;
            case CHUNKED -> 2 * several;
            case KN -> Math.max(replicas, 2 * several);
            case HEDGED, COOPERATIVE -> several;
        };
        return new Way(mode, streams, Optional.empty());
    }

    /** At most as many streams as a mode uses when nothing else is said. */
    static int mostStreams(int helpers) {
        return Math.max(1, helpers) * LANES;
    }
}

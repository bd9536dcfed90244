package io.cloudmw.core.cost;

import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import java.time.Duration;
import java.util.Optional;

/**
 * A strategy for reading: a mode with its fan-out and its hedge delay.
 *
 * @param streams the most concurrent attempts, extra ones aside
 * @param hedgeDelay the delay before a second attempt at another store; empty: each store's own p95
 */
public record ReadStrategy(Mode mode, int streams, Optional<Duration> hedgeDelay) {
    public ReadStrategy {
        if (streams < 1) {
            throw new IllegalArgumentException("streams: " + streams + " (expected: >= 1)");
        }
        if (hedgeDelay.isPresent() && hedgeDelay.get().isNegative()) {
            throw new IllegalArgumentException("hedgeDelay: " + hedgeDelay.get() + " (expected: >= 0)");
        }
    }

    /** The usual strategy of a mode. */
    public static ReadStrategy usual(Mode mode, int helpers, int replicas) {
        ModePolicy.Lineup lineup = ModePolicy.of(mode, false).lineup();
        int streams = lineup.isRace()
                ? replicas * lineup.lanes()
                : Math.min(lineup.racers(), Math.max(1, helpers) * lineup.lanes());
        return new ReadStrategy(mode, streams, Optional.empty());
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The issuer of second attempts beside late ones, as far as a racer is idle and the budget allows it. */
final class SecondAttemptIssuer {
    private final DeliveryState state;
    private final Dispatcher dispatcher;
    private final LatenessDetector lateness;

    SecondAttemptIssuer(DeliveryState state, Dispatcher dispatcher, LatenessDetector lateness) {
        this.state = state;
        this.dispatcher = dispatcher;
        this.lateness = lateness;
    }

    /**
     * Issues the rest of a late block a second time.
     *
     * @param racers the racers that may be asked
     * @param excluded the store that must not be read; null: all may be
     */
    void issue(BlockProgress late, List<RacerId> racers, @Nullable StoreId excluded) {
        long delay = lateness.delayNanos(late);
        late.quietUntil(state.now() + delay);
        Entrant entrant = dispatcher.quickest(racers, late.range(), excluded);
        long bytes = late.range().missing().length();
        if (entrant == null) {
            return;
        }
        StoreId other = late.chunk().store(entrant.replica());
        if (!state.budget().spend(late.store(), other, bytes, waitedNanos(late))) {
            state.countSuppressed();
            return;
        }
        BlockProgress second = state.issue(
                late.range(),
                List.of(entrant),
                BlockRule.SOLE,
                state.mode().extras().onLateness(),
                bytes);
        second.makesUpFor(delay, state.usual(late).bytesPerSecond());
    }

    /** The time without bytes of the attempt; 0 when no racer has begun it. */
    private long waitedNanos(BlockProgress late) {
        AttemptProgress attempt = late.attempt();
        if (!attempt.isFetching()) {
            return 0;
        }
        return state.now() - (attempt.bytes() == 0 ? attempt.startedAtNanos() : attempt.movedAtNanos());
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attempts beside what is late, as far as there is somebody to ask and the governor allows it. */
final class SecondAttempts {
    private final DeliveryState board;
    private final Dispatcher dispatcher;
    private final LatenessDetector lateness;

    SecondAttempts(DeliveryState board, Dispatcher dispatcher, LatenessDetector lateness) {
        this.board = board;
        this.dispatcher = dispatcher;
        this.lateness = lateness;
    }

    /**
     * Issues the rest of a late flight's block a second time.
     *
     * @param racers who may be asked
     * @param not the store that may not; null: all may
     */
    void issue(BlockProgress late, List<RacerId> racers, @Nullable StoreId not) {
        late.quietUntilNanos = board.nowNanos + lateness.delayNanos(late);
        Entrant entrant = best(racers, late.piece, not);
        long bytes = late.piece.missing().length();
        if (entrant == null) {
            return;
        }
        StoreId other = late.piece.chunk.store(entrant.replica());
        if (!board.governor.spend(late.store(), other, bytes, waitedNanos(late))) {
            board.ledger.suppressed();
            return;
        }
        BlockProgress second = board.issue(
                late.piece,
                List.of(entrant),
                BlockRule.SOLE,
                board.mode().extras().onLateness(),
                bytes);
        second.madeUpForAfterNanos = lateness.delayNanos(late);
        second.madeUpForBytesPerSecond = board.usual(late).bytesPerSecond();
    }

    /** How long nothing has come of it; 0 when nobody has begun. */
    private long waitedNanos(BlockProgress late) {
        if (!late.isFetching()) {
            return 0;
        }
        return board.nowNanos - (late.bytes() == 0 ? late.startedAtNanos : late.movedAtNanos);
    }

    /** Of these racers, the one whose way to the piece, not by the store {@code not}, is best. */
    @Nullable
    Entrant best(List<RacerId> racers, WantedRange piece, @Nullable StoreId not) {
        Entrant best = null;
        double shortest = 0;
        for (RacerId racer : racers) {
            Entrant entrant = dispatcher.best(racer, piece, not);
            if (entrant != null) {
                double time = dispatcher.expectedNanos(board.roster.helperOf(racer), entrant.replica(), piece);
                if (best == null || time < shortest) {
                    best = entrant;
                    shortest = time;
                }
            }
        }
        return best;
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;

/** What racers say of their attempts at cut-through blocks: who runs which, how far it is, and who goes on where that one left. */
final class AttemptReports {
    private final DeliveryState board;
    private final LatenessDetector lateness;

    AttemptReports(DeliveryState board, LatenessDetector lateness) {
        this.board = board;
        this.lateness = lateness;
    }

    /** One of the flight's entrants says how far its attempt has come. */
    void attempted(BlockProgress flight, DeliveryEvent.Attempted attempt) {
        if (attempt.stage() == AttemptStage.KEPT) {
            kept(flight, attempt.racer());
            return;
        }
        // What started before it was told that another had may be heard of after it said that it left.
        if (attempt.stage() != AttemptStage.STOPPED && flight.isIn(attempt.racer())) {
            runs(flight, attempt.racer());
        }
        if (attempt.racer().equals(flight.runner)) {
            came(flight, attempt, board.nowNanos);
        } else {
            flight.besides(attempt, board.nowNanos);
        }
    }

    /** It has it, and no store had to give it: speeds and the governor's means are about stores. */
    private void kept(BlockProgress flight, RacerId racer) {
        if (flight.runner == null) {
            flight.started(racer, board.nowNanos);
            flight.kept = true;
            board.fetched(flight);
        }
    }

    /** The first entrant heard of runs it, until it is said to have left it to another. */
    void runs(BlockProgress flight, RacerId racer) {
        if (flight.runner != null) {
            return;
        }
        boolean isFirst = flight.block.entrants().get(0).racer().equals(racer);
        if (flight.isDueAtOnce && isFirst && !flight.waits && board.roster.isHelper(racer)) {
            board.speeds.word(board.roster.helperOf(racer), board.nowNanos - flight.issuedAtNanos);
        }
        flight.started(racer, board.nowNanos);
        if (!flight.reason.isExtra()) {
            board.governor.usefulRequest();
        }
        for (Entrant entrant : flight.block.entrants()) {
            if (!entrant.racer().equals(racer)) {
                board.roster.unqueued(flight, entrant.racer());
            }
        }
    }

    /** So much of it is there now. */
    void progressed(BlockProgress flight, long bytes) {
        progressed(flight, bytes, board.nowNanos);
    }

    private void progressed(BlockProgress flight, long bytes, long atNanos) {
        if (flight.moved(bytes, atNanos) && !flight.kept) {
            lateness.answered(flight, atNanos);
        }
    }

    private void came(BlockProgress flight, DeliveryEvent.Attempted attempt, long atNanos) {
        progressed(flight, attempt.bytes(), atNanos);
        if (attempt.stage() == AttemptStage.FETCHED && !flight.fetched) {
            fetched(flight, atNanos);
        }
    }

    private void fetched(BlockProgress flight, long atNanos) {
        board.speeds.fetched(
                flight.store(),
                board.roster.helperOf(flight.holder().racer()),
                flight.block.range().length(),
                atNanos - flight.startedAtNanos);
        flight.movedAtNanos = board.nowNanos;
        OfferedRelay relay = flight.relay;
        if (relay != null) {
            relay.movedAtNanos = board.nowNanos; // from now on it is the helper's to bring the rest
        }
        lateness.fetched(flight, atNanos);
        board.fetched(flight);
    }

    /** Who ran a tied block is out of it: another that had started too goes on. */
    void runnerLeft(BlockProgress flight) {
        flight.runner = null;
        flight.awaited(board.roster).stream()
                .filter(other -> !flight.saidBesides(other).isEmpty())
                .findFirst()
                .ifPresent(other -> goesOn(flight, other));
    }

    /** This one is not out of it: what it said meanwhile counts as of when it was said, it may say nothing more. */
    void goesOn(BlockProgress flight, RacerId racer) {
        List<BlockProgress.Said> said = flight.saidBesides(racer);
        flight.started(racer, said.isEmpty() ? board.nowNanos : said.get(0).atNanos());
        board.roster.queuedAgain(flight, racer);
        said.forEach(before -> came(flight, before.attempt(), before.atNanos()));
        flight.movedAtNanos = board.nowNanos; // nobody waited for it until now
    }
}

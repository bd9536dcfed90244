package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.OptionalLong;

/**
 * Notices helpers that say nothing of what they were issued: cut off, stopped, or their words are lost. A block whose turn
 * has come there, and of which nothing was heard for as long as its first byte and word of it may take, is late: no store
 * is to blame, and what makes up for it, by any store, is another helper's.
 */
final class SilenceDetector {
    private final DeliveryState board;
    private final LatenessDetector lateness;
    private final SecondAttempts seconds;
    private final ModePolicy.Extras extras;

    SilenceDetector(DeliveryState board, LatenessDetector lateness, SecondAttempts seconds) {
        this.board = board;
        this.lateness = lateness;
        this.seconds = seconds;
        this.extras = board.mode().extras();
    }

    /** When a block not heard of is late; empty: it was heard of, or its turn has not come. */
    OptionalLong lateAtNanos(BlockProgress flight) {
        RacerId racer = flight.holder().racer();
        boolean isTurn = extras.hedges()
                && flight.isCutThrough()
                && !flight.isHeardOf()
                && !flight.postponed
                && board.roster.isHelper(racer)
                && board.roster.isNext(racer, flight)
                && (!board.traffic().holds(racer) || board.window.isLowest(flight.piece));
        return isTurn
                ? OptionalLong.of(turnSinceNanos(flight, racer) + lateness.unheardNanos(flight))
                : OptionalLong.empty();
    }

    private long turnSinceNanos(BlockProgress flight, RacerId racer) {
        return board.roster.freeSince(racer, flight.heldSinceNanos);
    }

    /**
     * It is late. A helper that said nothing at all meanwhile has nothing more issued to it for a while, and what waits
     * there behind other blocks is taken back.
     */
    void late(BlockProgress flight) {
        RacerId racer = flight.holder().racer();
        int helper = board.roster.helperOf(racer);
        long since = turnSinceNanos(flight, racer);
        if (board.roster.heardAt(racer, since) == since) {
            board.roster.silent(racer, board.nowNanos + extras.capNanos());
            if (board.roster.hasOthersThanSilent()) {
                takeBack(board.roster.waitingAt(racer));
            }
        }
        List<RacerId> elsewhere = board.roster.idleBeside(racer).stream()
                .filter(other -> board.roster.helperOf(other) != helper)
                .toList();
        seconds.issue(flight, elsewhere, null);
    }

    private void takeBack(List<BlockProgress> waiting) {
        for (BlockProgress flight : waiting) {
            boolean isAlone = !flight.reason.isExtra() && flight.piece.flights.size() == 1;
            if (isAlone && !flight.isHeardOf() && !flight.piece.moved) {
                board.takeBackForAll(flight);
            }
        }
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Decides when waiting has been long enough: for a relay, a racer, a first byte, the next leaf. */
final class Timeouts {
    /** Until it is their turn, all that is known of relays of a stream are reports, which come this often or more. */
    private static final long REPORTED_NANOS = 2_500_000_000L;
    /** A relay is not slow when it is at most this much slower than the destination's relays usually are. */
    private static final double BEHIND_PEERS = 4;

    private final DeliveryState board;
    private final LatenessDetector lateness;
    private final SecondAttempts seconds;
    private final SilenceDetector silence;
    private final AttemptReports reports;
    private final ModePolicy.Extras extras;
    private final long stallNanos;
    private final long unofferedNanos;

    Timeouts(DeliveryState board, Dispatcher dispatcher, LatenessDetector lateness, AttemptReports reports) {
        this.board = board;
        this.lateness = lateness;
        this.seconds = new SecondAttempts(board, dispatcher, lateness);
        this.silence = new SilenceDetector(board, lateness, seconds);
        this.reports = reports;
        this.extras = board.mode().extras();
        this.stallNanos = board.policy.patience().stallNanos();
        this.unofferedNanos = board.policy.patience().unofferedNanos();
    }

    OptionalLong wakeAtNanos() {
        OptionalLong wake = OptionalLong.empty();
        for (BlockProgress flight : board.flights()) {
            wake = earlier(wake, nextDueNanos(flight));
        }
        return wake;
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return one.getAsLong() - other.getAsLong() < 0 ? one : other;
    }

    private OptionalLong nextDueNanos(BlockProgress flight) {
        OptionalLong due = giveUpAtNanos(flight);
        if (flight.isFetching() && board.roster.isHelper(runner(flight))) {
            due = earlier(due, OptionalLong.of(silentAtNanos(flight)));
        }
        due = earlier(due, moveAtNanos(flight));
        return earlier(due, lateAtNanos(flight));
    }

    /** Does what is due now. */
    void timePassed() {
        for (BlockProgress flight : new ArrayList<>(board.flights())) {
            if (!board.over && board.isUnderWay(flight)) {
                judge(flight);
            }
        }
    }

    private void judge(BlockProgress flight) {
        if (flight.isFetching() && board.roster.isHelper(runner(flight)) && isDue(silentAtNanos(flight))) {
            abandon(runner(flight));
            return;
        }
        if (isDue(giveUpAtNanos(flight))) {
            giveUp(flight);
        } else if (isDue(moveAtNanos(flight))) {
            move(flight);
        } else if (isDue(lateAtNanos(flight))) {
            late(flight);
        }
    }

    private boolean isDue(OptionalLong atNanos) {
        return atNanos.isPresent() && isDue(atNanos.getAsLong());
    }

    private boolean isDue(long atNanos) {
        return board.nowNanos - atNanos >= 0;
    }

    private static RacerId runner(BlockProgress flight) {
        return flight.holder().racer();
    }

    // ---- giving up

    /** When a helper that fetches, and so says something every second or so, is taken for dead. */
    private long silentAtNanos(BlockProgress flight) {
        return board.roster.heardAt(runner(flight), flight.startedAtNanos) + stallNanos;
    }

    /** When a flight is given up, with or without its racer; empty: it may take any time. */
    private OptionalLong giveUpAtNanos(BlockProgress flight) {
        OfferedRelay relay = flight.relay;
        if (relay != null) {
            if (!relay.mayMove()) {
                return OptionalLong.empty();
            }
            boolean holdsAll = !flight.isCutThrough() || flight.fetched;
            return OptionalLong.of(relay.movedAtNanos + (holdsAll ? stallNanos : unofferedNanos));
        }
        if (flight.isFetching()) {
            return OptionalLong.of(flight.movedAtNanos + unofferedNanos);
        }
        if (flight.fetched) {
            return OptionalLong.of(flight.movedAtNanos + stallNanos);
        }
        if (flight.hasNamedWinner() && !flight.isCutThrough()) {
            return OptionalLong.of(flight.offerDueNanos(board.policy));
        }
        if (board.window.isLowest(flight.piece)) {
            return OptionalLong.of(flight.signDueNanos(board.roster, board.window.lowestSinceNanos(), board.policy));
        }
        return isNext(flight)
                ? OptionalLong.of(flight.signDueNanos(board.roster, flight.issuedAtNanos, board.policy))
                : OptionalLong.empty();
    }

    /** Whether who may start it has nothing else: who holds or fetches something may let any block but the lowest wait. */
    private boolean isNext(BlockProgress flight) {
        if (!flight.isCutThrough()) {
            return false;
        }
        for (RacerId racer : flight.awaited(board.roster)) {
            if (board.flightsOf(racer) != 1) {
                return false;
            }
        }
        return true;
    }

    private void giveUp(BlockProgress flight) {
        OfferedRelay relay = flight.relay;
        if (relay == null) {
            giveUpUnoffered(flight);
        } else if (board.roster.isHelper(relay.racer) && (!flight.isCutThrough() || flight.fetched)) {
            doubt(flight, relay.racer);
            abandon(relay.racer);
        } else {
            doubt(flight, relay.racer);
            board.retry(flight);
        }
    }

    /** Nobody showed that this block is coming: who kept silent altogether is given up, the rest avoided. */
    private void giveUpUnoffered(BlockProgress flight) {
        List<RacerId> awaited = flight.runner == null ? flight.awaited(board.roster) : List.of(flight.runner);
        for (RacerId racer : awaited) {
            doubt(flight, racer);
            long silent = board.nowNanos - board.roster.heardAt(racer, board.nowNanos - stallNanos);
            if (board.roster.isHelper(racer) && silent >= stallNanos) {
                abandon(racer);
            }
        }
        board.retry(flight);
    }

    private void doubt(BlockProgress flight, RacerId racer) {
        failed(flight, racer, ErrorCode.DEADLINE_EXCEEDED);
    }

    /** Notes that this racer did not bring the block. */
    void failed(BlockProgress flight, RacerId racer, ErrorCode code) {
        Entrant entrant = flight.entrant(racer);
        if (!flight.isCutThrough()) {
            flight.piece.chunk.avoid(racer, code);
        } else if (entrant != null) {
            board.failed(flight.piece.chunk, board.roster.helperOf(racer), entrant.replica(), code);
        }
    }

    private void abandon(RacerId racer) {
        if (!board.over) {
            board.commands.add(new DeliveryCommand.Abandon(board.roster.firstLane(racer), ErrorCode.DEADLINE_EXCEEDED));
            gone(racer);
        }
    }

    /** A process is gone: its relays, and what it was to bring. */
    void gone(RacerId racer) {
        int helper = board.roster.helperOf(racer);
        if (!board.roster.remove(racer)) {
            return;
        }
        board.window.waysChanged();
        for (OfferedRelay relay : List.copyOf(board.relays())) {
            if (board.relay(relay.number) != null && isSame(relay.racer, racer, helper)) {
                board.retry(relay.flight);
            }
        }
        for (BlockProgress flight : List.copyOf(board.flights())) {
            if (board.isUnderWay(flight)) {
                if (flight.runner != null && isSame(flight.runner, racer, helper)) {
                    reports.runnerLeft(flight);
                }
                if (flight.isHopeless(board.roster)) {
                    board.retry(flight);
                } else if (flight.block.entrants().stream()
                        .anyMatch(entrant -> isSame(entrant.racer(), racer, helper))) {
                    flight.heldSinceNanos = board.nowNanos;
                }
            }
        }
    }

    private boolean isSame(RacerId one, RacerId racer, int helper) {
        return helper == SpeedEstimates.CLIENT ? one.equals(racer) : board.roster.helperOf(one) == helper;
    }

    // ---- waiting for room

    /** Whether it waits for room at its helper, and nobody else may start it. */
    private static boolean mayMove(BlockProgress flight) {
        return flight.runner == null
                && flight.waits
                && !flight.piece.moved
                && !flight.reason.isExtra()
                && flight.isOnesAlone()
                && flight.piece.flights.size() == 1;
    }

    /** When a block its helper has no room for should go to another's; empty: it waits for nothing, or may not. */
    private OptionalLong moveAtNanos(BlockProgress flight) {
        if (!extras.hedges() || !mayMove(flight)) {
            return OptionalLong.empty();
        }
        long patient = extras.delayNanos(lateness.delayNanos(flight) * board.governor.patience());
        return afterQuiet(flight, flight.waitsSinceNanos + patient);
    }

    /** A block its helper has no room for goes to another helper, if one is idle: nothing was asked of its store. */
    private void move(BlockProgress flight) {
        int crowded = board.roster.helperOf(runner(flight));
        flight.quietUntilNanos = board.nowNanos + lateness.delayNanos(flight);
        List<RacerId> elsewhere = board.roster.idleBeside(runner(flight)).stream()
                .filter(racer -> board.roster.helperOf(racer) != crowded)
                .toList();
        Entrant entrant = seconds.best(elsewhere, flight.piece, null);
        if (entrant != null) {
            flight.piece.moved = true;
            board.changeHands(flight, entrant);
        }
    }

    // ---- lateness

    /** Not before something may be asked for again. */
    private static OptionalLong afterQuiet(BlockProgress flight, long atNanos) {
        return OptionalLong.of(atNanos - flight.quietUntilNanos < 0 ? flight.quietUntilNanos : atNanos);
    }

    /** When a second attempt is due; empty: nothing can be late, or a second one is under way. */
    private OptionalLong lateAtNanos(BlockProgress flight) {
        OfferedRelay relay = flight.relay;
        boolean withheld = relay != null && relay.withheld;
        if (!extras.hedges() || withheld || flight.piece.flights.size() > 1) {
            return OptionalLong.empty();
        }
        if (!flight.isFetching()) {
            OptionalLong unheard = silence.lateAtNanos(flight);
            return unheard.isEmpty() ? unheard : afterQuiet(flight, unheard.getAsLong());
        }
        double patience = board.governor.patience();
        SpeedEstimate usual = board.usual(flight);
        long delay = lateness.delayNanos(usual);
        if (flight.bytes() == 0) {
            return afterQuiet(flight, flight.startedAtNanos + extras.delayNanos(delay * patience));
        }
        double slow = usual.slowBytesPerSecond() / 1e9;
        long gap = gapNanos(flight, relay, delay, slow);
        long gapAt = flight.movedAtNanos + (long) (gap * patience);
        if (slow == 0 || !board.traffic().isBehindOthers(flight.rate(board.nowNanos))) {
            return afterQuiet(flight, gapAt);
        }
        long next = flight.bytes() + flight.piece.chunk.plan.leafSizeBytes();
        long lineAt = flight.startedAtNanos + delay + (long) (next / slow * patience);
        return afterQuiet(flight, Math.min(lineAt, gapAt));
    }

    /** How long the next leaf may take, usually: no less than the relays of this destination do, whatever limits them. */
    private long gapNanos(BlockProgress flight, @Nullable OfferedRelay relay, long delay, double slow) {
        double leaf = slow == 0 ? 0 : flight.piece.chunk.plan.leafSizeBytes() / slow;
        double gap = Math.max((double) delay, Math.min(leaf, (double) extras.capNanos()));
        if (relay == null || !relay.accepted) {
            return Math.max((long) gap, REPORTED_NANOS);
        }
        double moving = board.traffic().movingRelays();
        return (long) Math.max(gap, BEHIND_PEERS * board.paceNanos() * moving);
    }

    /** The rest of a late flight's block is wanted of another store too. */
    private void late(BlockProgress flight) {
        if (!flight.isFetching()) {
            silence.late(flight);
            return;
        }
        if (board.nowNanos - flight.startedAtNanos >= lateness.delayNanos(flight)) {
            lateness.judged(flight, true); // not what a promise alone calls late
        }
        lateness.waits(flight);
        seconds.issue(flight, board.roster.idleBeside(runner(flight)), flight.store());
    }
}

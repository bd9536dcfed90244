package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The timeouts of blocks, and what is done when they pass: a block is given up, moved to another helper, or has a second
 * attempt. {@link LatenessDetector} and {@link SilenceDetector} tell when a block is late.
 */
final class BlockTimeouts {
    private final DeliveryState state;
    private final LatenessDetector lateness;
    private final Dispatcher dispatcher;
    private final SecondAttemptIssuer seconds;
    private final SilenceDetector silence;
    private final AttemptReports reports;
    private final ModePolicy.Extras extras;
    private final long stallNanos;
    private final long unofferedNanos;

    BlockTimeouts(DeliveryState state, Dispatcher dispatcher, LatenessDetector lateness, AttemptReports reports) {
        this.state = state;
        this.lateness = lateness;
        this.dispatcher = dispatcher;
        this.seconds = new SecondAttemptIssuer(state, dispatcher, lateness);
        this.silence = new SilenceDetector(state, lateness, seconds);
        this.reports = reports;
        this.extras = state.mode().extras();
        this.stallNanos = state.policy().patience().stallNanos();
        this.unofferedNanos = state.policy().patience().unofferedNanos();
    }

    /** The time when the next timeout passes; empty: nothing is waited for. */
    OptionalLong wakeAtNanos() {
        OptionalLong wake = OptionalLong.empty();
        for (BlockProgress block : state.blocks()) {
            wake = earlier(wake, nextDueNanos(block));
        }
        return wake;
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return one.getAsLong() - other.getAsLong() < 0 ? one : other;
    }

    private OptionalLong nextDueNanos(BlockProgress block) {
        OptionalLong due = giveUpAtNanos(block);
        if (isFetchedByHelper(block)) {
            due = earlier(due, OptionalLong.of(silentAtNanos(block)));
        }
        due = earlier(due, moveAtNanos(block));
        return earlier(due, lateAtNanos(block));
    }

    /** Handles every timeout that has passed. */
    void timePassed() {
        for (BlockProgress block : new ArrayList<>(state.blocks())) {
            if (!state.isOver() && state.isUnderWay(block)) {
                check(block);
            }
        }
    }

    private void check(BlockProgress block) {
        if (isFetchedByHelper(block) && isDue(silentAtNanos(block))) {
            abandon(holder(block));
            return;
        }
        if (isDue(giveUpAtNanos(block))) {
            giveUp(block);
        } else if (isDue(moveAtNanos(block))) {
            move(block);
        } else if (isDue(lateAtNanos(block))) {
            late(block);
        }
    }

    private boolean isDue(OptionalLong atNanos) {
        return atNanos.isPresent() && isDue(atNanos.getAsLong());
    }

    private boolean isDue(long atNanos) {
        return state.now() - atNanos >= 0;
    }

    private static RacerId holder(BlockProgress block) {
        return block.holder().racer();
    }

    private boolean isFetchedByHelper(BlockProgress block) {
        return block.attempt().isFetching() && state.racers().isHelper(holder(block));
    }

    // ---- giving up

    /** The time when a helper that fetches, and so reports every second or so, is taken for dead. */
    private long silentAtNanos(BlockProgress block) {
        return state.racers().heardAt(holder(block), block.attempt().startedAtNanos()) + stallNanos;
    }

    /** The time when a block is given up, with or without its racer; empty: it may take any time. */
    private OptionalLong giveUpAtNanos(BlockProgress block) {
        AttemptProgress attempt = block.attempt();
        OfferedRelay relay = block.relay();
        if (relay != null) {
            return relay.mayMove()
                    ? OptionalLong.of(relay.movedAtNanos() + (holdsAll(block, relay) ? stallNanos : unofferedNanos))
                    : OptionalLong.empty();
        }
        if (attempt.isFetching()) {
            return OptionalLong.of(attempt.movedAtNanos() + unofferedNanos);
        }
        if (attempt.isFetched()) {
            return OptionalLong.of(attempt.movedAtNanos() + stallNanos);
        }
        if (block.entrants().hasNamedWinner() && !block.isCutThrough()) {
            return OptionalLong.of(block.offerDueNanos(state.policy()));
        }
        if (state.window().isLowest(block.range())) {
            return OptionalLong.of(
                    block.signDueNanos(state.racers(), state.window().lowestSinceNanos(), state.policy()));
        }
        return isOnlyBlock(block)
                ? OptionalLong.of(block.signDueNanos(state.racers(), onlySinceNanos(block), state.policy()))
                : OptionalLong.empty();
    }

    /** The time since which a racer that may start the block has had no other: others may have kept it from starting. */
    private long onlySinceNanos(BlockProgress block) {
        long since = block.issuedAtNanos();
        for (RacerId racer : block.awaited(state.racers())) {
            since = state.noMoreBlocksSince(racer, since);
        }
        return since;
    }

    /** Returns whether the racer that relays the block has all of it, and not just the other racer of a tied block. */
    private static boolean holdsAll(BlockProgress block, OfferedRelay relay) {
        return !block.isCutThrough()
                || (block.attempt().isFetched()
                        && relay.racer().equals(block.attempt().runner()));
    }

    /**
     * Returns whether the racers that may start it have no other block: one that has may let any but the lowest wait.
     */
    private boolean isOnlyBlock(BlockProgress block) {
        if (!block.isCutThrough()) {
            return false;
        }
        for (RacerId racer : block.awaited(state.racers())) {
            if (state.blocksOf(racer) != 1) {
                return false;
            }
        }
        return true;
    }

    private void giveUp(BlockProgress block) {
        OfferedRelay relay = block.relay();
        if (relay == null) {
            giveUpUnoffered(block);
        } else if (state.racers().isHelper(relay.racer()) && holdsAll(block, relay)) {
            state.failed(block, relay.racer(), ErrorCode.DEADLINE_EXCEEDED);
            abandon(relay.racer());
        } else {
            state.failed(block, relay.racer(), ErrorCode.DEADLINE_EXCEEDED);
            state.retry(block);
        }
    }

    /** No racer has offered this block: helpers that were altogether silent are abandoned, other racers avoided. */
    private void giveUpUnoffered(BlockProgress block) {
        RacerId runner = block.attempt().runner();
        List<RacerId> awaited = runner == null ? block.awaited(state.racers()) : List.of(runner);
        for (RacerId racer : awaited) {
            state.failed(block, racer, ErrorCode.DEADLINE_EXCEEDED);
            long silent = state.now() - state.racers().heardAt(racer, state.now() - stallNanos);
            if (state.racers().isHelper(racer) && silent >= stallNanos) {
                abandon(racer);
            }
        }
        state.retry(block);
    }

    private void abandon(RacerId racer) {
        if (!state.isOver()) {
            state.abandon(racer);
            gone(racer);
        }
    }

    /** A process is gone, with its relays and the blocks it was to bring. */
    void gone(RacerId racer) {
        LiveRacers racers = state.racers();
        if (!racers.remove(racer)) {
            return;
        }
        state.window().routesChanged();
        for (OfferedRelay relay : List.copyOf(state.relays())) {
            if (state.relay(relay.number()) != null && racers.isSameProcess(relay.racer(), racer)) {
                state.retry(relay.block());
            }
        }
        for (BlockProgress block : List.copyOf(state.blocks())) {
            if (state.isUnderWay(block)) {
                entrantGone(block, racer);
            }
        }
    }

    private void entrantGone(BlockProgress block, RacerId racer) {
        LiveRacers racers = state.racers();
        RacerId runner = block.attempt().runner();
        if (runner != null && racers.isSameProcess(runner, racer)) {
            reports.runnerLeft(block);
        }
        if (block.isHopeless(racers)) {
            state.retry(block);
            return;
        }
        for (Entrant entrant : block.block().entrants()) {
            if (racers.isSameProcess(entrant.racer(), racer)) {
                block.heldSince(state.now());
                return;
            }
        }
    }

    // ---- waiting for room

    /** Returns whether the block waits for room at its helper, and no other racer may start it. */
    private static boolean mayMove(BlockProgress block) {
        return !block.attempt().isBegun()
                && block.isWaitingForRoom()
                && !block.range().hasMoved()
                && !block.reason().isExtra()
                && block.entrants().isOneLeft()
                && block.range().isIssuedOnce();
    }

    /**
     * The time when a block its helper has no room for should go to another; empty: it waits for nothing, or may not.
     */
    private OptionalLong moveAtNanos(BlockProgress block) {
        if (!extras.hedges() || !mayMove(block)) {
            return OptionalLong.empty();
        }
        long patient =
                extras.delayNanos(lateness.delayNanos(block) * state.budget().patience());
        return notBeforeQuietEnds(block, OptionalLong.of(block.waitingSinceNanos() + patient));
    }

    /** Moves a block its helper has no room for to an idle lane of another helper: its store was asked for nothing. */
    private void move(BlockProgress block) {
        block.quietUntil(state.now() + lateness.delayNanos(block));
        List<RacerId> elsewhere = state.racers().idleElsewhere(holder(block));
        Entrant entrant = dispatcher.quickest(elsewhere, block.range(), null);
        if (entrant != null) {
            block.range().markMoved();
            state.changeHands(block, entrant);
        }
    }

    // ---- lateness

    /** The time when a block is late; empty: it cannot be late, or has a second attempt. */
    private OptionalLong lateAtNanos(BlockProgress block) {
        return lateness.mayBeLate(block)
                ? notBeforeQuietEnds(
                        block, block.attempt().isFetching() ? lateness.lateAtNanos(block) : silence.lateAtNanos(block))
                : OptionalLong.empty();
    }

    /** The time, but not before a second attempt may be asked for again. */
    private static OptionalLong notBeforeQuietEnds(BlockProgress block, OptionalLong at) {
        return at.isPresent() && at.getAsLong() - block.quietUntilNanos() < 0
                ? OptionalLong.of(block.quietUntilNanos())
                : at;
    }

    /** Issues the rest of a late block to another store too. */
    private void late(BlockProgress block) {
        if (!block.attempt().isFetching()) {
            silence.late(block);
            return;
        }
        if (state.now() - block.attempt().startedAtNanos() >= lateness.delayNanos(block)) {
            lateness.judge(block, true); // not when only the configured delay has passed
        }
        lateness.unanswered(block);
        seconds.issue(block, state.racers().idleBeside(holder(block), state.directUse()), block.store());
    }
}

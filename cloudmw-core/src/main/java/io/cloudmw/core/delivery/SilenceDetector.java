package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.OptionalLong;

/**
 * The detector of helpers that report nothing about the blocks they were issued: they are cut off or stopped, or their
 * reports are lost. Rules 16 to 18 of {@link Delivery}.
 */
final class SilenceDetector {
    private final DeliveryState state;
    private final LatenessDetector lateness;
    private final SecondAttemptIssuer seconds;
    private final ModePolicy.Extras extras;

    SilenceDetector(DeliveryState state, LatenessDetector lateness, SecondAttemptIssuer seconds) {
        this.state = state;
        this.lateness = lateness;
        this.seconds = seconds;
        this.extras = state.mode().extras();
    }

    /** The time when a block without a report is late; empty: it was reported, or its turn has not come. */
    OptionalLong lateAtNanos(BlockProgress block) {
        RacerId racer = block.holder().racer();
        boolean isTurn = extras.hedges()
                && block.isCutThrough()
                && !block.isHeardOf()
                && !block.isPostponed()
                && state.racers().isHelper(racer)
                && state.racers().isNext(racer, block)
                && (!state.throughput().holds(racer) || state.window().isLowest(block.range()));
        return isTurn
                ? OptionalLong.of(turnSinceNanos(block, racer) + lateness.unheardNanos(block))
                : OptionalLong.empty();
    }

    private long turnSinceNanos(BlockProgress block, RacerId racer) {
        return state.racers().freeSince(racer, block.heldSinceNanos());
    }

    /**
     * Makes up for a late block at another helper. A helper that said nothing at all meanwhile is issued no more blocks
     * for a while, and the blocks that wait there behind others are taken back.
     */
    void late(BlockProgress block) {
        RacerId racer = block.holder().racer();
        long since = turnSinceNanos(block, racer);
        if (state.racers().heardAt(racer, since) == since) {
            state.racers().silent(racer, state.now() + extras.capNanos());
            if (state.racers().hasHelperThatSpeaks()) {
                takeBack(state.racers().waitingAt(racer));
            }
        }
        seconds.issue(block, state.racers().idleElsewhere(racer), null);
    }

    private void takeBack(List<BlockProgress> waiting) {
        for (BlockProgress block : waiting) {
            boolean isAlone = !block.reason().isExtra() && block.range().isIssuedOnce();
            if (isAlone && !block.isHeardOf() && !block.range().hasMoved()) {
                state.takeBackForAll(block);
            }
        }
    }
}

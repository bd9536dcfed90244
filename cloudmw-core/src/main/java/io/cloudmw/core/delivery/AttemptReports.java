package io.cloudmw.core.delivery;

import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;

/**
 * The handler of racers' reports about cut-through blocks: which racer runs a block, how far it is, and which follows
 * it.
 */
final class AttemptReports {
    private final DeliveryState state;
    private final LatenessDetector lateness;

    AttemptReports(DeliveryState state, LatenessDetector lateness) {
        this.state = state;
        this.lateness = lateness;
    }

    /** An entrant of the block reports how far its attempt has come. */
    void attempted(BlockProgress block, RacerId racer, AttemptStage stage, long bytes) {
        if (stage == AttemptStage.KEPT) {
            if (!block.attempt().isBegun()) {
                state.kept(block, racer); // speeds and the budget are about stores, and none was read
            }
            return;
        }
        // A racer that left the block may have started before it heard that another had.
        if (stage != AttemptStage.STOPPED && block.entrants().isIn(racer)) {
            runs(block, racer);
        }
        if (racer.equals(block.attempt().runner())) {
            came(block, stage, bytes, state.now());
        } else {
            block.entrants().noteBeside(racer, stage, bytes, state.now());
        }
    }

    /** The first entrant heard of runs the block, until it leaves it to another. */
    void runs(BlockProgress block, RacerId racer) {
        if (block.attempt().isBegun()) {
            return;
        }
        boolean isTimed = block.isDueAtOnce() && block.isFirstEntrant(racer) && !block.isWaitingForRoom();
        if (isTimed && state.racers().isHelper(racer)) {
            state.speeds().reported(state.racers().helperOf(racer), state.now() - block.issuedAtNanos());
        }
        block.attempt().started(racer, state.now());
        if (!block.reason().isExtra()) {
            state.budget().usefulRequest();
        }
        for (Entrant entrant : block.block().entrants()) {
            if (!entrant.racer().equals(racer)) {
                state.racers().unqueued(block, entrant.racer());
            }
        }
    }

    /** The block has reached so many bytes. */
    void progressed(BlockProgress block, long bytes) {
        progressed(block, bytes, state.now());
    }

    private void progressed(BlockProgress block, long bytes, long atNanos) {
        if (block.attempt().reached(bytes, atNanos) && !block.attempt().isKept()) {
            lateness.answered(block, atNanos);
        }
    }

    private void came(BlockProgress block, AttemptStage stage, long bytes, long atNanos) {
        progressed(block, bytes, atNanos);
        if (stage == AttemptStage.FETCHED && !block.attempt().isFetched()) {
            fetched(block, atNanos);
        }
    }

    private void fetched(BlockProgress block, long atNanos) {
        AttemptProgress attempt = block.attempt();
        state.speeds()
                .fetched(
                        block.store(),
                        state.racers().helperOf(block.holder().racer()),
                        block.block().range().length(),
                        atNanos - attempt.startedAtNanos());
        attempt.moved(state.now());
        OfferedRelay relay = block.relay();
        if (relay != null) {
            relay.moved(state.now()); // the helper can send the rest from now on
        }
        lateness.fetched(block, atNanos);
        if (!state.racers().isHelper(block.holder().racer())) {
            state.fetchedDirectly(block);
        }
        state.fetched(block);
    }

    /** The racer that ran a tied block has left it: another entrant that had started it too goes on. */
    void runnerLeft(BlockProgress block) {
        block.attempt().runnerLeft();
        for (RacerId other : block.awaited(state.racers())) {
            if (!block.entrants().reportsBeside(other).isEmpty()) {
                goesOn(block, other);
                return;
            }
        }
    }

    /** This racer goes on with the block. Its reports so far count from when they were made; it may make no more. */
    void goesOn(BlockProgress block, RacerId racer) {
        List<EntrantStates.Report> reports = block.entrants().reportsBeside(racer);
        block.attempt()
                .started(racer, reports.isEmpty() ? state.now() : reports.get(0).atNanos());
        state.racers().queuedAgain(block, racer);
        for (EntrantStates.Report report : reports) {
            came(block, report.stage(), report.bytes(), report.atNanos());
        }
        block.attempt().moved(state.now()); // nothing waited for this racer until now
    }
}

package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** What happens at the destination, and what follows from it: the state behind {@link Delivery}. */
final class Arbiter implements DeliveryInput {
    private final DeliveryState board;
    private final Dispatcher dispatcher;
    private final LatenessDetector lateness;
    private final AttemptReports reports;
    private final Timeouts watch;

    Arbiter(DeliveryPolicy policy, LiveRacers roster, SpeedEstimates view, RedundancyBudget governor) {
        this.board = new DeliveryState(policy, roster, view, governor);
        this.dispatcher = new Dispatcher(board);
        this.lateness = new LatenessDetector(board);
        this.reports = new AttemptReports(board, lateness);
        this.watch = new Timeouts(board, dispatcher, lateness, reports);
    }

    List<DeliveryCommand> on(DeliveryEvent event, long nowNanos) {
        board.begin(nowNanos);
        if (!board.over) {
            event.tell(this);
            if (!board.over) {
                dispatcher.dispatch();
            }
            acceptRelays();
            if (!board.over && board.window.isDone()) {
                board.over = true;
                board.commands.add(new DeliveryCommand.Complete());
            }
        }
        return List.copyOf(board.commands);
    }

    boolean wantsPlan() {
        return !board.over && board.window.wantsPlan();
    }

    OptionalLong wakeAtNanos() {
        return board.over ? OptionalLong.empty() : watch.wakeAtNanos();
    }

    int remembered() {
        return board.window.remembered();
    }

    IssueCounts tally() {
        return board.ledger.tally();
    }

    void close() {
        board.close();
    }

    @Override
    public void planned(DeliveryEvent.Planned chunk) {
        board.window.plan(chunk);
    }

    @Override
    public void planEnded() {
        board.window.end();
    }

    // ---- relays

    @Override
    public void offered(long number, BlockId block, RacerId racer) {
        if (board.relay(number) != null) {
            return;
        }
        board.roster.heard(racer, board.nowNanos);
        BlockProgress flight = board.flight(block);
        if (flight == null || flight.relay != null || !board.roster.isLive(racer) || !flight.isEntrant(racer)) {
            board.commands.add(new DeliveryCommand.Refuse(number));
            return;
        }
        board.offered(number, racer, flight);
        if (flight.isCutThrough()) {
            reports.runs(flight, racer);
            reports.progressed(flight, flight.piece.nextLeafBytes());
            for (BlockProgress other : List.copyOf(flight.piece.flights)) {
                if (other != flight && board.isUnderWay(flight)) {
                    settle(flight, other);
                }
            }
        }
    }

    /** Two flights of one piece, one of which just showed a leaf: the one that will be through sooner goes on. */
    private void settle(BlockProgress offered, BlockProgress other) {
        boolean otherIsSooner = other.relay != null
                && other.movedAtNanos - offered.issuedAtNanos >= 0
                && dispatcher.expectedLeftNanos(other) <= dispatcher.expectedLeftNanos(offered);
        BlockProgress loser = otherIsSooner ? offered : other;
        lateness.cut(loser);
        board.lose(loser, otherIsSooner ? other : offered);
    }

    @Override
    public void leafDelivered(long number) {
        OfferedRelay relay = board.relay(number);
        if (relay == null || !relay.accepted) {
            return;
        }
        relay.movedAtNanos = board.nowNanos;
        board.roster.heard(relay.racer, board.nowNanos);
        BlockProgress flight = relay.flight;
        WantedRange piece = flight.piece;
        long bytes = piece.nextLeafBytes();
        piece.leafDelivered();
        board.governor.usefulBytes(bytes);
        board.leafDelivered();
        if (flight.isCutThrough()) {
            reports.progressed(
                    flight, piece.missing().offset() - flight.block.range().offset());
        }
        if (piece.missing().isEmpty()) {
            piece.flights.stream().filter(other -> other != flight).forEach(lateness::cut);
            board.acknowledge(flight);
        }
    }

    @Override
    public void creditWithheld(long number) {
        OfferedRelay relay = board.relay(number);
        if (relay != null) {
            relay.withheld = true;
        }
    }

    @Override
    public void creditGranted(long number) {
        OfferedRelay relay = board.relay(number);
        if (relay != null) {
            relay.withheld = false;
            relay.movedAtNanos = board.nowNanos;
            relay.flight.movedAtNanos = board.nowNanos;
        }
    }

    @Override
    public void relayFailed(long number, ErrorCode code) {
        OfferedRelay relay = board.relay(number);
        if (relay != null) {
            notBrought(relay, code);
            board.relayEnded(relay);
            board.retry(relay.flight);
        }
    }

    @Override
    public void leafCorrupt(long number) {
        OfferedRelay relay = board.relay(number);
        if (relay != null) {
            notBrought(relay, ErrorCode.REPLICA_CORRUPT);
            board.retry(relay.flight);
        }
    }

    /** Of what was kept no replica was read, so none is avoided. */
    private void notBrought(OfferedRelay relay, ErrorCode code) {
        if (!relay.flight.kept) {
            watch.failed(relay.flight, relay.racer, code);
        }
    }

    private void acceptRelays() {
        if (board.over) {
            return;
        }
        if (board.policy.inOrder()) {
            acceptInOrder();
            return;
        }
        for (OfferedRelay relay : board.relays()) {
            if (!relay.accepted) {
                board.accept(relay);
            }
        }
    }

    /** Those of the lowest piece; of what follows without a gap it is said that they are next. */
    private void acceptInOrder() {
        for (WantedRange piece : board.window.open()) {
            boolean offered = false;
            for (BlockProgress flight : piece.flights) {
                OfferedRelay relay = flight.relay;
                offered |= relay != null;
                if (relay != null && !relay.accepted && board.window.isLowest(piece)) {
                    board.accept(relay);
                } else if (relay != null && !relay.accepted && !relay.prepared) {
                    board.prepare(relay);
                }
            }
            if (!offered) {
                return;
            }
        }
    }

    // ---- racers

    @Override
    public void attempted(DeliveryEvent.Attempted attempt) {
        board.roster.heard(attempt.racer(), board.nowNanos);
        BlockProgress flight = board.flight(attempt.block());
        if (flight == null) {
            board.takenBack.attempted(attempt.block(), attempt.stage(), attempt.bytes());
        } else if (flight.isCutThrough() && flight.isEntrant(attempt.racer())) {
            reports.attempted(flight, attempt);
        }
    }

    @Override
    public void waits(BlockId block, RacerId racer) {
        board.roster.heard(racer, board.nowNanos);
        BlockProgress flight = board.flight(block);
        if (flight != null) {
            flight.waits(racer, board.nowNanos);
        }
    }

    @Override
    public void postponed(BlockId block, boolean postponed) {
        BlockProgress flight = board.flight(block);
        if (flight != null) {
            flight.postponed(postponed, board.nowNanos);
        }
    }

    @Override
    public void lost(BlockId block, RacerId racer, RacerId winner) {
        board.roster.heard(racer, board.nowNanos);
        BlockProgress flight = board.flight(block);
        if (flight == null || !flight.isEntrant(racer) || !flight.isEntrant(winner) || racer.equals(winner)) {
            return;
        }
        flight.lost(racer, winner, board.nowNanos);
        if (flight.isCutThrough()) {
            leftTo(flight, racer, winner);
        } else {
            retryIfHopeless(flight);
        }
    }

    /** Two entrants of a tied block started at the same time, and one has left it to the other. */
    private void leftTo(BlockProgress flight, RacerId racer, RacerId winner) {
        board.roster.unqueued(flight, racer);
        OfferedRelay relay = flight.relay;
        if (relay != null && relay.racer.equals(racer)) {
            board.retry(flight); // it had offered first, so the other's relay was refused
            return;
        }
        if (racer.equals(flight.runner) && board.roster.isLive(winner)) {
            reports.goesOn(flight, winner);
        }
        retryIfHopeless(flight);
    }

    @Override
    public void forfeited(BlockId block, RacerId racer, ErrorCode code) {
        board.roster.heard(racer, board.nowNanos);
        BlockProgress flight = board.flight(block);
        if (flight == null || !flight.isEntrant(racer)) {
            return;
        }
        if (!flight.isCutThrough()) {
            flight.piece.chunk.forfeit(racer, code);
            retryIfHopeless(flight);
            return;
        }
        watch.failed(flight, racer, code);
        flight.stopped(racer, board.nowNanos);
        board.roster.unqueued(flight, racer);
        OfferedRelay relay = flight.relay;
        if (relay != null && relay.racer.equals(racer)) {
            board.retry(flight);
            return;
        }
        if (racer.equals(flight.runner)) {
            reports.runnerLeft(flight);
        }
        retryIfHopeless(flight);
    }

    private void retryIfHopeless(BlockProgress flight) {
        if (flight.isHopeless(board.roster)) {
            board.retry(flight);
        }
    }

    @Override
    public void racerGone(RacerId racer) {
        watch.gone(racer);
    }

    /** A racer that races chooses by itself; so does whoever has nothing else left. */
    @Override
    public void storesAway(Set<StoreId> stores) {
        board.away(stores);
        for (BlockProgress flight : List.copyOf(board.flights())) {
            boolean reads = flight.isCutThrough() && !flight.fetched && board.isAway(flight.store());
            if (reads && board.isElsewhere(flight.piece.chunk)) {
                board.retry(flight);
            }
        }
    }

    @Override
    public void localRacersReady(List<RacerId> racers) {
        board.roster.localReady(racers);
    }

    @Override
    public void resumed() {
        board.roster.resumed(board.nowNanos);
        board.flights().forEach(flight -> flight.resumed(board.nowNanos));
    }

    @Override
    public void timePassed() {
        watch.timePassed();
    }
}

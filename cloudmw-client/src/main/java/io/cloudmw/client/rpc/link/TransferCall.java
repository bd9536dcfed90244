package io.cloudmw.client.rpc.link;

import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.AttemptReport;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.BlockForfeited;
import io.cloudmw.proto.v1.ReplicaFault;
import io.cloudmw.proto.v1.ShortenBlock;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;

/**
 * The gRPC call of one transfer at one helper: it sends commands and receives events. The destination's window of
 * blocks bounds the commands that wait. Safe for any thread.
 */
public final class TransferCall extends HelperStream<TransferCommand, TransferEvent> {
    private final TransferSetup setup;
    private final int self;
    private final TransferEvents events;

    private TransferCall(HelperLinks links, TransferSetup setup, int self, TransferEvents events) {
        super(links, setup.plan().helpers().get(self));
        this.setup = setup;
        this.self = self;
        this.events = events;
    }

    /** Begins the call; {@code events} hear, soon, when that is not possible. */
    public static TransferCall begin(HelperLinks links, TransferSetup setup, int self, TransferEvents events) {
        TransferCall transfer = new TransferCall(links, setup, self, events);
        transfer.open();
        return transfer;
    }

    @Override
    StreamObserver<TransferCommand> call(
            ManagedChannel channel, ClientResponseObserver<TransferCommand, TransferEvent> answers) {
        return TransfersGrpc.newStub(channel).transfer(answers);
    }

    @Override
    TransferCommand begin(HelperLink held) {
        BeginTransfer begin = BeginTransfer.newBuilder()
                .setTransferId(setup.id())
                .setToken(ToWire.token(setup.plan().token()))
                .addAllHelpers(
                        setup.plan().helpers().stream().map(ToWire::helper).toList())
                .setSelf(self)
                .addAllStores(setup.plan().stores().stream().map(ToWire::store).toList())
                .setMode(ToWire.mode(setup.plan().mode()))
                .setLanes(setup.lanes().perHelper())
                .setSolitary(setup.solitary())
                .setShared(setup.plan().switches() > 0)
                .setTree(setup.plan().switches())
                .setPriority(UrgencyWire.priority(setup.urgency().priority()))
                .setDeadlineMillis(UrgencyWire.millis(setup.urgency().deadline()))
                .setBulkSessionId(held.bulk().sessionId())
                .build();
        return TransferCommand.newBuilder().setBegin(begin).build();
    }

    @Override
    void lost(CloudMwException why) {
        events.gone(why);
    }

    public void issue(IssuedBlock block) {
        send(TransferCommand.newBuilder().setIssue(ToWire.block(block)).build());
    }

    public void withdraw(BlockId block) {
        send(TransferCommand.newBuilder().setWithdrawBlock(block.value()).build());
    }

    /**
     * Asks the helper to check its replica of a block of which a damaged leaf arrived. {@link TransferEvents#checked}
     * follows.
     */
    public void doubt(BlockId block) {
        send(TransferCommand.newBuilder().setDoubtBlock(block.value()).build());
    }

    public void shorten(BlockId block, long length) {
        send(TransferCommand.newBuilder()
                .setShorten(ShortenBlock.newBuilder().setBlockId(block.value()).setLength(length))
                .build());
    }

    public void delivered(BlockId block) {
        send(TransferCommand.newBuilder().setDeliveredBlock(block.value()).build());
    }

    public void racerGone(RacerId racer) {
        send(TransferCommand.newBuilder().setRacerGone(racer.rank()).build());
    }

    /**
     * Finishes the transfer: the helper sends its remaining events and ends; then {@code gone} is called.
     *
     * @param hedges the whole transfer's extra attempts, for the helper's statistics; {@link HedgeCounts#NONE}: none are
     *     sent
     * @return false when the helper was never reached: no event follows
     */
    public boolean finish(HedgeCounts hedges) {
        return finish(
                hedges.equals(HedgeCounts.NONE)
                        ? List.of()
                        : List.of(TransferCommand.newBuilder()
                                .setHedges(MonitorWire.hedges(hedges))
                                .build()));
    }

    @Override
    void received(TransferEvent event) throws CloudMwException {
        switch (event.getEventCase()) {
            case READY -> markReady();
            case ATTEMPT -> reported(event.getAttempt());
            case LOST ->
                events.lost(
                        racer(event.getLost().getRacer()),
                        new BlockId(event.getLost().getBlockId()),
                        new RacerId(event.getLost().getWinner()));
            case FORFEITED -> {
                BlockForfeited forfeited = event.getForfeited();
                CloudMwException cause = new CloudMwException(
                        code(forfeited.getErrorCode()), helperName() + ": " + forfeited.getErrorMessage());
                events.forfeited(
                        racer(forfeited.getRacer()),
                        new BlockId(forfeited.getBlockId()),
                        UrgencyWire.retriedAfter(cause, forfeited.getRetryAfterMillis()));
            }
            case FAULT -> {
                ReplicaFault fault = event.getFault();
                events.faulted(
                        FromWire.chunkId(fault.getChunkId()),
                        FromWire.storeId(fault.getStoreId()),
                        code(fault.getErrorCode()));
            }
            case JUDGED_BLOCK -> events.checked(new BlockId(event.getJudgedBlock()));
            case EVENT_NOT_SET -> {
                // An event of a newer helper: ignored.
            }
        }
    }

    private void reported(AttemptReport report) throws CloudMwException {
        if (report.getState() == io.cloudmw.proto.v1.AttemptState.ATTEMPT_STATE_WAITING) {
            events.waits(racer(report.getRacer()), new BlockId(report.getBlockId()));
        } else {
            attempted(report);
        }
    }

    private void attempted(AttemptReport report) throws CloudMwException {
        AttemptState state = switch (report.getState()) {
            case ATTEMPT_STATE_STARTED -> AttemptState.STARTED;
            case ATTEMPT_STATE_PROGRESSED -> AttemptState.PROGRESSED;
            case ATTEMPT_STATE_FINISHED -> AttemptState.FINISHED;
            case ATTEMPT_STATE_CANCELLED -> AttemptState.CANCELLED;
            case ATTEMPT_STATE_FAILED -> AttemptState.FAILED;
            case ATTEMPT_STATE_WAITING, ATTEMPT_STATE_UNSPECIFIED, UNRECOGNIZED ->
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION,
                        "report of an attempt: state " + report.getState()
                                + " (expected: started, progressed, finished, cancelled or failed)");
        };
        Optional<ErrorCode> error =
                state == AttemptState.FAILED ? Optional.of(code(report.getErrorCode())) : Optional.empty();
        events.attempted(
                racer(report.getRacer()),
                new BlockId(report.getBlockId()),
                new TransferEvents.Report(
                        report.getNumber(),
                        FromWire.storeId(report.getStoreId()),
                        state,
                        Math.max(0, report.getBytes()),
                        error));
    }

    /** A racer of this helper. */
    private RacerId racer(int rank) throws CloudMwException {
        RacerId racer = new RacerId(rank);
        if (!setup.lanes().isHelpers(racer) || setup.lanes().helper(racer) != self) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION, "reported on racer " + rank + ", which it does not host");
        }
        return racer;
    }
}

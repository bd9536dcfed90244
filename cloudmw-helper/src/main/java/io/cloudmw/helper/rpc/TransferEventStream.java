package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.helper.compete.AttemptReport;
import io.cloudmw.helper.compete.Destination;
import io.cloudmw.proto.v1.AttemptState;
import io.cloudmw.proto.v1.BlockForfeited;
import io.cloudmw.proto.v1.BlockLost;
import io.cloudmw.proto.v1.ReplicaFault;
import io.cloudmw.proto.v1.TransferEvent;
import io.grpc.stub.ServerCallStreamObserver;

/**
 * The stream of a transfer's events to its client. The stream drops progress reports while the client does not read;
 * the blocks that the client has issued bound all other events. Safe for any thread.
 */
final class TransferEventStream implements Destination {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final ServerCallStreamObserver<TransferEvent> call;

    @GuardedBy("lock")
    private boolean over;

    TransferEventStream(ServerCallStreamObserver<TransferEvent> call) {
        this.call = call;
    }

    void send(TransferEvent event) {
        synchronized (lock) {
            if (!over && !call.isCancelled()) {
                call.onNext(event);
            }
        }
    }

    @Override
    public void ended() {
        synchronized (lock) {
            if (!over && !call.isCancelled()) {
                call.onCompleted();
            }
            over = true;
        }
    }

    @Override
    public void attempt(AttemptReport report) {
        if (report.state().isRepeated() && !ready()) {
            return;
        }
        io.cloudmw.proto.v1.AttemptReport.Builder message = io.cloudmw.proto.v1.AttemptReport.newBuilder()
                .setBlockId(report.attempt().block().value())
                .setNumber(report.attempt().number())
                .setRacer(report.attempt().racer().rank())
                .setStoreId(report.store().value())
                .setState(state(report.state()))
                .setBytes(report.bytes())
                .setElapsedNanos(report.elapsedNanos());
        CloudMwException cause = report.cause();
        if (cause != null) {
            message.setErrorCode(cause.code().name()).setErrorMessage(String.valueOf(cause.getMessage()));
        }
        send(TransferEvent.newBuilder().setAttempt(message).build());
    }

    private boolean ready() {
        synchronized (lock) {
            return call.isReady();
        }
    }

    private static AttemptState state(AttemptReport.State state) {
        return switch (state) {
            case WAITING -> AttemptState.ATTEMPT_STATE_WAITING;
            case STARTED -> AttemptState.ATTEMPT_STATE_STARTED;
            case PROGRESSED -> AttemptState.ATTEMPT_STATE_PROGRESSED;
            case FINISHED -> AttemptState.ATTEMPT_STATE_FINISHED;
            case CANCELLED -> AttemptState.ATTEMPT_STATE_CANCELLED;
            case FAILED -> AttemptState.ATTEMPT_STATE_FAILED;
        };
    }

    @Override
    public void lost(BlockId block, RacerId racer, RacerId winner) {
        send(TransferEvent.newBuilder()
                .setLost(BlockLost.newBuilder()
                        .setBlockId(block.value())
                        .setRacer(racer.rank())
                        .setWinner(winner.rank()))
                .build());
    }

    @Override
    public void forfeited(BlockId block, RacerId racer, CloudMwException cause) {
        send(TransferEvent.newBuilder()
                .setForfeited(BlockForfeited.newBuilder()
                        .setBlockId(block.value())
                        .setRacer(racer.rank())
                        .setErrorCode(cause.code().name())
                        .setErrorMessage(String.valueOf(cause.getMessage()))
                        .setRetryAfterMillis(UrgencyWire.millis(cause.retryAfter())))
                .build());
    }

    @Override
    public void fault(ChunkId chunk, StoreId store, ErrorCode code) {
        send(TransferEvent.newBuilder()
                .setFault(ReplicaFault.newBuilder()
                        .setChunkId(chunk.toString())
                        .setStoreId(store.value())
                        .setErrorCode(code.name()))
                .build());
    }

    @Override
    public void judged(BlockId block) {
        send(TransferEvent.newBuilder().setJudgedBlock(block.value()).build());
    }

    @Override
    public void failed(CloudMwException cause) {
        synchronized (lock) {
            if (!over && !call.isCancelled()) {
                call.onError(RpcErrors.toStatus(cause));
            }
            over = true;
        }
    }
}

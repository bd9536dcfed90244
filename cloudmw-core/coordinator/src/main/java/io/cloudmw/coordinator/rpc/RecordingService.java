package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.read.RecordedReads;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.proto.v1.RecordedAttemptState;
import io.cloudmw.proto.v1.RecordedIssueReason;
import io.cloudmw.proto.v1.RecordedReadState;
import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.ReportReadRequest;
import io.cloudmw.proto.v1.ReportReadResponse;
import io.grpc.stub.StreamObserver;

/** The gRPC service for the records of reads. Safe for any thread. */
public final class RecordingService extends RecordingGrpc.RecordingImplBase {
    private final RecordedReads reads;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public RecordingService(RecordedReads reads, UnaryCalls calls) {
        this.reads = reads;
        this.calls = calls;
    }

    @Override
    public void reportRead(ReportReadRequest request, StreamObserver<ReportReadResponse> observer) {
        calls.answer(observer, () -> {
            boolean kept = reads.report(report(request));
            return ReportReadResponse.newBuilder().setDropped(!kept).build();
        });
    }

    private static ReadReport report(ReportReadRequest message) throws CloudMwException {
        try {
            return new ReadReport(
                    message.getRecordId(),
                    message.getWantedBytes(),
                    message.getElapsedNanos(),
                    state(message.getState()),
                    message.getError(),
                    message.getAttemptsList().stream()
                            .map(RecordingService::attempt)
                            .toList(),
                    message.getOmittedAttempts());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "report of a read: " + e.getMessage(), e);
        }
    }

    private static RecordedAttempt attempt(io.cloudmw.proto.v1.RecordedAttempt message) {
        return new RecordedAttempt(
                message.getChunkIndex(),
                message.getBlockId(),
                message.getOffset(),
                message.getLength(),
                message.getRacer(),
                new StoreId(message.getStoreId()),
                message.getNumber(),
                reason(message.getReason()),
                message.getIssuedNanos(),
                message.getBeganNanos() - 1,
                message.getEndedNanos() - 1,
                state(message.getState()),
                message.getFetchedBytes(),
                message.getWonBytes(),
                message.getError());
    }

    private static RecordedRead.State state(RecordedReadState state) {
        return switch (state) {
            case RECORDED_READ_STATE_RUNNING -> RecordedRead.State.RUNNING;
            case RECORDED_READ_STATE_DELIVERED -> RecordedRead.State.DELIVERED;
            case RECORDED_READ_STATE_FAILED -> RecordedRead.State.FAILED;
            case RECORDED_READ_STATE_UNSPECIFIED, UNRECOGNIZED -> throw unknown("state");
        };
    }

    private static RecordedAttempt.State state(RecordedAttemptState state) {
        return switch (state) {
            case RECORDED_ATTEMPT_STATE_QUEUED -> RecordedAttempt.State.QUEUED;
            case RECORDED_ATTEMPT_STATE_RUNNING -> RecordedAttempt.State.RUNNING;
            case RECORDED_ATTEMPT_STATE_FINISHED -> RecordedAttempt.State.FINISHED;
            case RECORDED_ATTEMPT_STATE_CANCELLED -> RecordedAttempt.State.CANCELLED;
            case RECORDED_ATTEMPT_STATE_FAILED -> RecordedAttempt.State.FAILED;
            case RECORDED_ATTEMPT_STATE_UNSPECIFIED, UNRECOGNIZED -> throw unknown("attempt's state");
        };
    }

    private static IssueReason reason(RecordedIssueReason reason) {
        return switch (reason) {
            case RECORDED_ISSUE_REASON_PLANNED -> IssueReason.PLANNED;
            case RECORDED_ISSUE_REASON_RETRY -> IssueReason.RETRY;
            case RECORDED_ISSUE_REASON_HEDGE -> IssueReason.HEDGE;
            case RECORDED_ISSUE_REASON_HAND_OVER -> IssueReason.HAND_OVER;
            case RECORDED_ISSUE_REASON_STEAL -> IssueReason.STEAL;
            case RECORDED_ISSUE_REASON_DUPLICATE -> IssueReason.DUPLICATE;
            case RECORDED_ISSUE_REASON_UNSPECIFIED, UNRECOGNIZED -> throw unknown("reason");
        };
    }

    private static IllegalArgumentException unknown(String what) {
        return new IllegalArgumentException(what + ": (expected: a known one)");
    }
}

package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.proto.v1.RecordedAttemptState;
import io.cloudmw.proto.v1.RecordedIssueReason;
import io.cloudmw.proto.v1.RecordedReadState;
import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.ReportReadRequest;
import java.util.concurrent.CompletableFuture;

/** Calls about the records of reads. Safe for any thread. */
public final class RecordingCalls {
    private final CoordinatorClient coordinator;

    RecordingCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Reports a read; returns false when the coordinator has dropped its record. */
    public CompletableFuture<Boolean> report(ReadReport report) {
        ReportReadRequest.Builder request = ReportReadRequest.newBuilder()
                .setRecordId(report.id())
                .setWantedBytes(report.wantedBytes())
                .setElapsedNanos(report.elapsedNanos())
                .setState(state(report.state()))
                .setError(report.error())
                .setOmittedAttempts(report.omittedAttempts());
        report.attempts().forEach(attempt -> request.addAttempts(message(attempt)));
        return coordinator.call(RecordingGrpc.getReportReadMethod(), request.build(), answer -> !answer.getDropped());
    }

    private static io.cloudmw.proto.v1.RecordedAttempt message(RecordedAttempt attempt) {
        return io.cloudmw.proto.v1.RecordedAttempt.newBuilder()
                .setChunkIndex(attempt.chunk())
                .setBlockId(attempt.block())
                .setOffset(attempt.offset())
                .setLength(attempt.length())
                .setRacer(attempt.racer())
                .setStoreId(attempt.store().value())
                .setNumber(attempt.number())
                .setReason(reason(attempt.reason()))
                .setIssuedNanos(attempt.issuedNanos())
                .setBeganNanos(attempt.beganNanos() + 1)
                .setEndedNanos(attempt.endedNanos() + 1)
                .setState(state(attempt.state()))
                .setFetchedBytes(attempt.fetchedBytes())
                .setWonBytes(attempt.wonBytes())
                .setError(attempt.error())
                .build();
    }

    private static RecordedReadState state(RecordedRead.State state) {
        return switch (state) {
            case RUNNING -> RecordedReadState.RECORDED_READ_STATE_RUNNING;
            case DELIVERED -> RecordedReadState.RECORDED_READ_STATE_DELIVERED;
            case FAILED -> RecordedReadState.RECORDED_READ_STATE_FAILED;
        };
    }

    private static RecordedAttemptState state(RecordedAttempt.State state) {
        return switch (state) {
            case QUEUED -> RecordedAttemptState.RECORDED_ATTEMPT_STATE_QUEUED;
            case RUNNING -> RecordedAttemptState.RECORDED_ATTEMPT_STATE_RUNNING;
            case FINISHED -> RecordedAttemptState.RECORDED_ATTEMPT_STATE_FINISHED;
            case CANCELLED -> RecordedAttemptState.RECORDED_ATTEMPT_STATE_CANCELLED;
            case FAILED -> RecordedAttemptState.RECORDED_ATTEMPT_STATE_FAILED;
        };
    }

    private static RecordedIssueReason reason(IssueReason reason) {
        return switch (reason) {
            case PLANNED -> RecordedIssueReason.RECORDED_ISSUE_REASON_PLANNED;
            case RETRY -> RecordedIssueReason.RECORDED_ISSUE_REASON_RETRY;
            case HEDGE -> RecordedIssueReason.RECORDED_ISSUE_REASON_HEDGE;
            case HAND_OVER -> RecordedIssueReason.RECORDED_ISSUE_REASON_HAND_OVER;
            case STEAL -> RecordedIssueReason.RECORDED_ISSUE_REASON_STEAL;
            case DUPLICATE -> RecordedIssueReason.RECORDED_ISSUE_REASON_DUPLICATE;
        };
    }
}

package io.cloudmw.client.rpc;

import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.ReportReadRequest;
import io.cloudmw.proto.v1.ReportReadResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A service that keeps the reports about reads. */
public final class FakeRecording extends RecordingGrpc.RecordingImplBase {
    /** The record of every plan. */
    public volatile Optional<String> record = Optional.empty();

    /** Whether reports are refused. */
    public volatile boolean broken;

    /** Whether the records are dropped. */
    public volatile boolean dropped;

    private final List<ReportReadRequest> reports = new CopyOnWriteArrayList<>();

    public List<ReportReadRequest> reports() {
        return reports;
    }

    @Override
    public void reportRead(ReportReadRequest request, StreamObserver<ReportReadResponse> answer) {
        reports.add(request);
        if (broken) {
            answer.onError(Status.INTERNAL.asException());
            return;
        }
        answer.onNext(ReportReadResponse.newBuilder().setDropped(dropped).build());
        answer.onCompleted();
    }
}

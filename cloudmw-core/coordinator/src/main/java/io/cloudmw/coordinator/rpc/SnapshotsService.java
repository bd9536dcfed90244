package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.names.VolumeSnapshots;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.SnapshotWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CreateSnapshotRequest;
import io.cloudmw.proto.v1.CreateSnapshotResponse;
import io.cloudmw.proto.v1.GetEntryInRequest;
import io.cloudmw.proto.v1.GetEntryResponse;
import io.cloudmw.proto.v1.ListInRequest;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.ListSnapshotsRequest;
import io.cloudmw.proto.v1.ListSnapshotsResponse;
import io.cloudmw.proto.v1.RemoveSnapshotRequest;
import io.cloudmw.proto.v1.RemoveSnapshotResponse;
import io.cloudmw.proto.v1.RestoreFileRequest;
import io.cloudmw.proto.v1.RestoreFileResponse;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StatInRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The gRPC service for snapshots of volumes. Safe for any thread. */
public final class SnapshotsService extends SnapshotsGrpc.SnapshotsImplBase {
    private final VolumeSnapshots snapshots;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public SnapshotsService(VolumeSnapshots snapshots, UnaryCalls calls) {
        this.snapshots = snapshots;
        this.calls = calls;
    }

    @Override
    public void createSnapshot(CreateSnapshotRequest request, StreamObserver<CreateSnapshotResponse> observer) {
        calls.answer(
                observer,
                () -> CreateSnapshotResponse.newBuilder()
                        .setSnapshot(SnapshotWire.message(snapshots.create(
                                FromWire.volumeName(request.getVolume()),
                                request.getName(),
                                FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void listSnapshots(ListSnapshotsRequest request, StreamObserver<ListSnapshotsResponse> observer) {
        calls.answer(
                observer,
                () -> ListSnapshotsResponse.newBuilder()
                        .addAllSnapshots(snapshots.of(FromWire.volumeName(request.getVolume())).stream()
                                .map(SnapshotWire::message)
                                .toList())
                        .build());
    }

    @Override
    public void removeSnapshot(RemoveSnapshotRequest request, StreamObserver<RemoveSnapshotResponse> observer) {
        calls.answer(
                observer,
                () -> RemoveSnapshotResponse.newBuilder()
                        .setRemoved(SnapshotWire.message(snapshots.remove(
                                FromWire.volumeName(request.getVolume()),
                                request.getName(),
                                FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void statIn(StatInRequest request, StreamObserver<StatResponse> observer) {
        calls.answer(
                observer,
                () -> CoordinatorService.described(snapshots.stat(
                        request.getSnapshot(),
                        FromWire.file(
                                request.getOf().getVolume(), request.getOf().getPath()))));
    }

    @Override
    public void listIn(ListInRequest request, StreamObserver<ListResponse> observer) {
        ListRequest of = request.getOf();
        calls.answer(
                observer,
                () -> CoordinatorService.listed(snapshots.list(
                        request.getSnapshot(),
                        FromWire.volumeName(of.getVolume()),
                        of.getDirectory(),
                        of.getPageToken(),
                        of.getLimit())));
    }

    @Override
    public void getEntryIn(GetEntryInRequest request, StreamObserver<GetEntryResponse> observer) {
        calls.answer(
                observer,
                () -> EntriesService.described(snapshots.entry(
                        request.getSnapshot(),
                        FromWire.volumeName(request.getOf().getVolume()),
                        request.getOf().getPath())));
    }

    @Override
    public void restoreFile(RestoreFileRequest request, StreamObserver<RestoreFileResponse> observer) {
        calls.answer(observer, () -> {
            Optional<FileVersion> version = snapshots.restore(
                    request.getSnapshot(),
                    FromWire.file(request.getVolume(), request.getPath()),
                    FromWire.callId(request.getCall()));
            RestoreFileResponse.Builder answer = RestoreFileResponse.newBuilder();
            version.ifPresent(restored -> answer.setVersion(ToWire.version(restored)));
            return answer.build();
        });
    }
}

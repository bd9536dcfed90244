package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.backup.VolumeExport;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.BackupGrpc;
import io.cloudmw.proto.v1.ExportRequest;
import io.cloudmw.proto.v1.ExportResponse;
import io.grpc.stub.StreamObserver;
import java.util.OptionalLong;

/** The gRPC service for volume exports, from which backups are made. Safe for any thread. */
public final class BackupService extends BackupGrpc.BackupImplBase {
    private final VolumeExport exports;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public BackupService(VolumeExport exports, UnaryCalls calls) {
        this.exports = exports;
        this.calls = calls;
    }

    @Override
    public void export(ExportRequest request, StreamObserver<ExportResponse> observer) {
        calls.answer(
                observer,
                () -> BackupWire.page(exports.next(
                        FromWire.volumeName(request.getVolume()),
                        request.hasAfter() ? OptionalLong.of(request.getAfter()) : OptionalLong.empty(),
                        BackupWire.cursor(request.getCursor().toByteArray()))));
    }
}

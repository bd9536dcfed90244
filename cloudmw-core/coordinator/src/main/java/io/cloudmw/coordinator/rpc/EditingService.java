package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.upload.EditPlan;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.EditWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.BeginEditRequest;
import io.cloudmw.proto.v1.BeginEditResponse;
import io.cloudmw.proto.v1.BeginPutResponse;
import io.cloudmw.proto.v1.EditingGrpc;
import io.grpc.stub.StreamObserver;

/** The gRPC service for edits of files. Safe for any thread. */
public final class EditingService extends EditingGrpc.EditingImplBase {
    private final Coordinator coordinator;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public EditingService(Coordinator coordinator, UnaryCalls calls) {
        this.coordinator = coordinator;
        this.calls = calls;
    }

    @Override
    public void beginEdit(BeginEditRequest request, StreamObserver<BeginEditResponse> observer) {
        calls.answer(observer, () -> {
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            return answer(coordinator.edits().begin(file, EditWire.edit(request)));
        });
    }

    private static BeginEditResponse answer(EditPlan plan) {
        BeginPutResponse put = BeginPutResponse.newBuilder()
                .setChunkSizeBytes(plan.manifest().cutter().chunkSizeBytes())
                .setChunkCount(plan.manifest().cutter().count())
                .setLeafSizeBytes(plan.manifest().leafSizeBytes())
                .setExpectedVersionId(
                        plan.base().map(FileVersion::id).map(Object::toString).orElse(""))
                .setWriteQuorum(plan.writeQuorum())
                .build();
        BeginEditResponse.Builder answer = BeginEditResponse.newBuilder()
                .setPut(put)
                .setBaseChunkSizeBytes(plan.baseChunkSizeBytes())
                .setWritten(ToWire.range(plan.written()))
                .setSizeBytes(plan.manifest().cutter().fileSizeBytes());
        plan.base().ifPresent(base -> answer.setBase(ToWire.version(base)));
        return answer.build();
    }
}

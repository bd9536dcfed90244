package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Edit;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A service that begins edits of files that are cut as all files are. Safe for any thread. */
final class FakeEdits extends EditingGrpc.EditingImplBase {
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);
    private final AtomicInteger begun = new AtomicInteger();
    private final Map<FilePath, FileVersion> files;
    private final long chunkSizeBytes;
    private final int leafSizeBytes;

    FakeEdits(Map<FilePath, FileVersion> files, long chunkSizeBytes, int leafSizeBytes) {
        this.files = files;
        this.chunkSizeBytes = chunkSizeBytes;
        this.leafSizeBytes = leafSizeBytes;
    }

    int begun() {
        return begun.get();
    }

    private static ByteRange written(Edit edit, long before) throws CloudMwException {
        try {
            return edit.written(before);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void beginEdit(BeginEditRequest request, StreamObserver<BeginEditResponse> observer) {
        calls.answer(observer, () -> {
            begun.incrementAndGet();
            Edit edit = EditWire.edit(request);
            Optional<FileVersion> base =
                    Optional.ofNullable(files.get(FromWire.file(request.getVolume(), request.getPath())));
            long before = base.map(FileVersion::sizeBytes).orElse(0L);
            ByteRange written = written(edit, before);
            BeginEditResponse.Builder answer = BeginEditResponse.newBuilder()
                    .setPut(BeginPutResponse.newBuilder()
                            .setChunkSizeBytes(chunkSizeBytes)
                            .setLeafSizeBytes(leafSizeBytes)
                            .setExpectedVersionId(
                                    base.map(version -> version.id().value()).orElse(""))
                            .setWriteQuorum(1))
                    .setBaseChunkSizeBytes(base.isPresent() ? chunkSizeBytes : 0)
                    .setWritten(ToWire.range(written))
                    .setSizeBytes(edit.sizeAfter(before));
            base.ifPresent(version -> answer.setBase(ToWire.version(version)));
            return answer.build();
        });
    }
}

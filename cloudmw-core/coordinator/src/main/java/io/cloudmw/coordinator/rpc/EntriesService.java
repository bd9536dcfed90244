package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.names.FileNames;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.EntryWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CopyFileRequest;
import io.cloudmw.proto.v1.CopyFileResponse;
import io.cloudmw.proto.v1.CreateDirectoryRequest;
import io.cloudmw.proto.v1.CreateDirectoryResponse;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.GetEntryResponse;
import io.cloudmw.proto.v1.RemoveDirectoryRequest;
import io.cloudmw.proto.v1.RemoveDirectoryResponse;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The gRPC service for directories that stay when they are empty, and for copies. Safe for any thread. */
public final class EntriesService extends EntriesGrpc.EntriesImplBase {
    private final FileNames names;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public EntriesService(FileNames names, UnaryCalls calls) {
        this.names = names;
        this.calls = calls;
    }

    @Override
    public void getEntry(GetEntryRequest request, StreamObserver<GetEntryResponse> observer) {
        calls.answer(observer, () -> {
            VolumeName volume = FromWire.volumeName(request.getVolume());
            Optional<CurrentEntry> found = request.getMayBeAbsent()
                    ? names.entryOrPlace(volume, request.getPath())
                    : Optional.of(names.entry(volume, request.getPath()));
            if (found.isEmpty()) {
                return GetEntryResponse.newBuilder().setAbsent(true).build();
            }
            return described(found.get());
        });
    }

    /** The answer that describes an entry. */
    static GetEntryResponse described(CurrentEntry entry) {
        GetEntryResponse.Builder answer = GetEntryResponse.newBuilder()
                .setCreatedAtMillis(entry.createdAtMillis())
                .setAttributes(ToWire.attributes(entry.attributes()))
                .setStays(entry.kept().isPresent());
        entry.version().ifPresent(version -> answer.setVersion(ToWire.version(version)));
        return answer.build();
    }

    @Override
    public void createDirectory(CreateDirectoryRequest request, StreamObserver<CreateDirectoryResponse> observer) {
        calls.answer(observer, () -> {
            names.createDirectory(
                    FromWire.file(request.getVolume(), request.getPath()),
                    request.getParents(),
                    FromWire.attributes(request.getAttributes()),
                    FromWire.callId(request.getCall()));
            return CreateDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void removeDirectory(RemoveDirectoryRequest request, StreamObserver<RemoveDirectoryResponse> observer) {
        calls.answer(observer, () -> {
            names.removeDirectory(
                    FromWire.file(request.getVolume(), request.getPath()), FromWire.callId(request.getCall()));
            return RemoveDirectoryResponse.getDefaultInstance();
        });
    }

    @Override
    public void copyFile(CopyFileRequest request, StreamObserver<CopyFileResponse> observer) {
        calls.answer(observer, () -> {
            FileVersion copied = names.copy(EntryWire.copy(request), FromWire.callId(request.getCall()));
            return CopyFileResponse.newBuilder()
                    .setCopied(ToWire.version(copied))
                    .build();
        });
    }
}

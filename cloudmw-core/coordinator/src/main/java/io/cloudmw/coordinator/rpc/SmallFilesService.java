package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.names.SmallFile;
import io.cloudmw.coordinator.upload.SmallFileCommits;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommitFilesResponse;
import io.cloudmw.proto.v1.CommittedFile;
import io.cloudmw.proto.v1.CommittedPack;
import io.cloudmw.proto.v1.FileOutcome;
import io.cloudmw.proto.v1.RefusedFile;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.StatFilesRequest;
import io.cloudmw.proto.v1.StatFilesResponse;
import io.cloudmw.proto.v1.StatedFile;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The gRPC service for many small files in one call. Safe for any thread. */
public final class SmallFilesService extends SmallFilesGrpc.SmallFilesImplBase {
    private final Coordinator coordinator;
    private final UnaryCalls calls;
    private final NextPlacements nextPlacements;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public SmallFilesService(Coordinator coordinator, UnaryCalls calls) {
        this.coordinator = coordinator;
        this.calls = calls;
        nextPlacements = new NextPlacements(coordinator.uploads());
    }

    @Override
    public void commitFiles(CommitFilesRequest request, StreamObserver<CommitFilesResponse> observer) {
        calls.answer(observer, () -> {
            VolumeName volume = FromWire.volumeName(request.getVolume());
            List<BatchFile> files = new ArrayList<>(request.getFilesCount());
            for (CommittedFile file : request.getFilesList()) {
                files.add(file(file));
            }
            Optional<SmallFileCommits.WrittenPack> pack =
                    request.hasPack() ? Optional.of(pack(request.getPack())) : Optional.empty();
            CommitFilesResponse.Builder answer = CommitFilesResponse.newBuilder();
            OptionalLong until =
                    request.getUntilMillis() == 0 ? OptionalLong.empty() : OptionalLong.of(request.getUntilMillis());
            for (CommitOutcome outcome : coordinator.smallFiles().commit(volume, pack, files, until)) {
                answer.addOutcomes(outcome(outcome));
            }
            if (request.hasPlace()) {
                nextPlacements
                        .of(request.getPlace())
                        .ifPresent(placed -> answer.setPlaced(placed).setPlacedMillis(nextPlacements.millis()));
            }
            return answer.build();
        });
    }

    private static SmallFileCommits.WrittenPack pack(CommittedPack pack) throws CloudMwException {
        return new SmallFileCommits.WrittenPack(FromWire.chunk(pack.getChunk()), FromWire.reports(pack.getOwedList()));
    }

    private static BatchFile file(CommittedFile file) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>(file.getChunksCount());
        for (io.cloudmw.proto.v1.Chunk chunk : file.getChunksList()) {
            chunks.add(FromWire.chunk(chunk));
        }
        Optional<EncodedSegment> segment = chunks.isEmpty()
                ? Optional.empty()
                : Optional.of(EncodedSegment.of(ManifestSegment.checked(0, chunks)));
        Optional<PutCondition> condition = file.hasExpectedVersionId()
                ? Optional.of(new PutCondition(FromWire.optionalVersionId(file.getExpectedVersionId())))
                : Optional.empty();
        try {
            return new BatchFile(
                    FromWire.version(file.getVersion()),
                    segment,
                    condition,
                    FromWire.attributes(file.getAttributes()),
                    FromWire.attributes(file.getSetAttributes()).values(),
                    FromWire.reports(file.getOwedList()));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    private static FileOutcome outcome(CommitOutcome outcome) {
        if (outcome instanceof CommitOutcome.Committed committed) {
            return FileOutcome.newBuilder()
                    .setCommitted(ToWire.version(committed.version()))
                    .build();
        }
        CloudMwException reason = ((CommitOutcome.Refused) outcome).reason();
        return FileOutcome.newBuilder()
                .setRefused(RefusedFile.newBuilder()
                        .setCode(reason.code().name())
                        .setMessage(String.valueOf(reason.getMessage())))
                .build();
    }

    @Override
    public void statFiles(StatFilesRequest request, StreamObserver<StatFilesResponse> observer) {
        calls.answer(observer, () -> {
            if (request.getPathsCount() > BatchCommit.MAX_FILES) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "paths: " + request.getPathsCount() + " (expected: <= " + BatchCommit.MAX_FILES + ")");
            }
            VolumeName volume = FromWire.volumeName(request.getVolume());
            List<FilePath> paths = new ArrayList<>(request.getPathsCount());
            for (String path : request.getPathsList()) {
                paths.add(FromWire.file(request.getVolume(), path));
            }
            StatFilesResponse.Builder answer = StatFilesResponse.newBuilder();
            for (Optional<SmallFile> file : coordinator.names().stat(volume, paths, request.getChunks())) {
                answer.addFiles(file.isPresent() ? stated(file.get()) : StatedFile.getDefaultInstance());
            }
            return answer.build();
        });
    }

    private static StatedFile stated(SmallFile file) {
        StatedFile.Builder message = StatedFile.newBuilder()
                .setVersion(ToWire.version(file.file().version()))
                .setCreatedAtMillis(file.file().createdAtMillis())
                .setAttributes(ToWire.attributes(file.file().attributes()));
        file.packed().ifPresent(packed -> {
            message.addChunks(ToWire.chunk(packed.chunk()));
            if (!packed.inManifest().equals(packed.chunk())) {
                message.setManifestChunkId(packed.inManifest().id().toString());
                packed.inManifest().replicas().forEach(store -> message.addManifestStoreIds(store.value()));
            }
        });
        return message.build();
    }
}

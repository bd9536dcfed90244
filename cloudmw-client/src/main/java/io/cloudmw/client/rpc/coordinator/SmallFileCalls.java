package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommitFilesResponse;
import io.cloudmw.proto.v1.CommittedFile;
import io.cloudmw.proto.v1.CommittedPack;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.FileOutcome;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.RefusedFile;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.StatFilesRequest;
import io.cloudmw.proto.v1.StatFilesResponse;
import io.cloudmw.proto.v1.StatedFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The calls about many small files. Futures fail as those of {@link CoordinatorClient} do. Safe for any thread. */
public final class SmallFileCalls {
    /** The most files of one call. */
    public static final int MAX_FILES = 1000;

    private final CoordinatorClient coordinator;

    SmallFileCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** The calls under way at once where a coordinator looks up one file at a time. */
    private static final int SINGLE_LOOKUPS = 16;

    /** Returns whether a call failed because its coordinator is of a release before these calls. */
    public static boolean isUnknown(Throwable failure) {
        return RpcErrors.isUnknownMethod(failure);
    }

    /** The chunk of a pack, with the copies that are still owed. */
    public record StoredPack(Chunk chunk, List<ReplicaReport> owed) {}

    /**
     * A file whose chunks are stored.
     *
     * @param chunks of its only manifest segment; empty: the file has no bytes
     * @param owed copies of its own chunks
     * @param condition the version that the path must name; empty: any
     * @param created attributes of a file that the commit creates
     * @param set attributes that the file has afterwards in any case
     */
    public record StoredFile(
            FileVersion version,
            List<Chunk> chunks,
            List<ReplicaReport> owed,
            Optional<PutCondition> condition,
            Attributes created,
            Map<String, String> set) {}

    /** A placement that is wanted for the next put: a chunk of this many bytes at most. */
    public record WantedPlacement(VersionId version, long bytes) {}

    /** A placement for the next put, which can be kept for this long. */
    public record NextPlacement(WritePlan plan, Duration kept) {}

    /**
     * A volume into which small files are to be put.
     *
     * @param next the wanted placement; empty: there is none
     * @param coordinatorMillis the coordinator's time; empty: its release does not tell
     */
    public record PreparedVolume(Volume volume, Optional<NextPlacement> next, OptionalLong coordinatorMillis) {}

    /** The result of one file. */
    public sealed interface Outcome {
        /** The file was committed. */
        record Committed(FileVersion version) implements Outcome {}

        /** The file was refused. */
        record Refused(CloudMwException reason) implements Outcome {}
    }

    /**
     * The results of a commit.
     *
     * @param outcomes one for each file, in their order
     * @param next the wanted placement; empty: there is none
     */
    public record Committed(List<Outcome> outcomes, Optional<NextPlacement> next) {}

    /** Asks for a volume, and for a placement of the first chunk that is put there. */
    public CompletableFuture<PreparedVolume> prepare(VolumeName volume, WantedPlacement first) {
        GetVolumeRequest request = GetVolumeRequest.newBuilder()
                .setName(volume.value())
                .setPlace(place(volume, first))
                .build();
        return coordinator.call(
                CoordinatorGrpc.getGetVolumeMethod(),
                request,
                answer -> new PreparedVolume(
                        FromWire.volume(answer.getVolume()),
                        answer.hasPlaced() ? next(answer.getPlaced(), answer.getPlacedMillis()) : Optional.empty(),
                        answer.getNowMillis() == 0 ? OptionalLong.empty() : OptionalLong.of(answer.getNowMillis())));
    }

    private static PlaceChunksRequest place(VolumeName volume, WantedPlacement wanted) {
        return PlaceChunksRequest.newBuilder()
                .setVolume(volume.value())
                .setPath(FilePath.ofPack(volume, wanted.version()).path())
                .setVersionId(wanted.version().value())
                .setCount(1)
                .setSizeBytes(wanted.bytes())
                .setChunkSizeBytes(wanted.bytes())
                .build();
    }

    private static Optional<NextPlacement> next(PlaceChunksResponse placed, long keptMillis) throws CloudMwException {
        return Optional.of(new NextPlacement(FromWire.writePlan(placed), Duration.ofMillis(Math.max(0, keptMillis))));
    }

    /**
     * Commits files, at most {@value #MAX_FILES} of one volume.
     *
     * @param pack the chunk whose slices the files name; empty: each file has chunks of its own
     * @param next a placement that is wanted, too; empty: none
     * @param untilMillis the coordinator's time from which on no file without a condition is committed; empty: there is
     *     none
     */
    public CompletableFuture<Committed> commit(
            VolumeName volume,
            Optional<StoredPack> pack,
            List<StoredFile> files,
            Optional<WantedPlacement> next,
            OptionalLong untilMillis) {
        CommitFilesRequest.Builder request =
                CommitFilesRequest.newBuilder().setVolume(volume.value()).setUntilMillis(untilMillis.orElse(0));
        next.ifPresent(wanted -> request.setPlace(place(volume, wanted)));
        pack.ifPresent(stored -> request.setPack(CommittedPack.newBuilder()
                .setChunk(ToWire.chunk(stored.chunk()))
                .addAllOwed(stored.owed().stream().map(ToWire::report).toList())));
        files.forEach(file -> request.addFiles(file(file)));
        return coordinator.call(
                SmallFilesGrpc.getCommitFilesMethod(), request.build(), answer -> committed(answer, files.size()));
    }

    private static CommittedFile file(StoredFile file) {
        CommittedFile.Builder message = CommittedFile.newBuilder()
                .setVersion(ToWire.version(file.version()))
                .addAllChunks(file.chunks().stream().map(ToWire::chunk).toList())
                .addAllOwed(file.owed().stream().map(ToWire::report).toList())
                .setAttributes(ToWire.attributes(file.created()))
                .setSetAttributes(ToWire.attributes(Attributes.of(file.set())));
        file.condition()
                .ifPresent(condition -> message.setExpectedVersionId(
                        condition.version().map(VersionId::value).orElse("")));
        return message.build();
    }

    private static Committed committed(CommitFilesResponse answer, int files) throws CloudMwException {
        if (answer.getOutcomesCount() != files) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "commit of files: " + answer.getOutcomesCount() + " outcomes (expected: " + files + ")");
        }
        List<Outcome> outcomes = new ArrayList<>(files);
        for (FileOutcome outcome : answer.getOutcomesList()) {
            outcomes.add(
                    outcome.hasCommitted()
                            ? new Outcome.Committed(FromWire.version(outcome.getCommitted()))
                            : new Outcome.Refused(reason(outcome.getRefused())));
        }
        return new Committed(
                outcomes, answer.hasPlaced() ? next(answer.getPlaced(), answer.getPlacedMillis()) : Optional.empty());
    }

    private static CloudMwException reason(RefusedFile refused) {
        ErrorCode code;
        try {
            code = ErrorCode.valueOf(refused.getCode());
        } catch (IllegalArgumentException e) {
            code = ErrorCode.INTERNAL; // a newer coordinator's
        }
        return new CloudMwException(code, refused.getMessage());
    }

    /**
     * A file with its place in a pack.
     *
     * @param slice of a pack, that has all bytes of the file as its manifest's digest says, at its present place; empty: it
     *     was not requested, or there is none
     */
    public record FoundFile(EntryStatus status, Optional<Chunk> slice) {}

    /**
     * Looks up the files at some paths, at most {@value #MAX_FILES}. A coordinator of a release before is asked for each
     * file, and gives no slices.
     *
     * @param withSlices also give the slices of packs that files consist of
     * @return one for each path, in their order; empty: there is no file
     */
    public CompletableFuture<List<Optional<FoundFile>>> stat(
            VolumeName volume, List<String> paths, boolean withSlices) {
        StatFilesRequest request = StatFilesRequest.newBuilder()
                .setVolume(volume.value())
                .addAllPaths(paths)
                .setChunks(withSlices)
                .build();
        return coordinator
                .call(SmallFilesGrpc.getStatFilesMethod(), request, answer -> found(answer, paths.size()))
                .exceptionallyCompose(failure -> isUnknown(failure)
                        ? statEach(volume, paths)
                        : CompletableFuture.failedFuture(Reasons.unwrapped(failure)));
    }

    private CompletableFuture<List<Optional<FoundFile>>> statEach(VolumeName volume, List<String> paths) {
        List<CompletableFuture<Optional<FoundFile>>> lookups = new ArrayList<>(paths.size());
        for (String path : paths) {
            int before = lookups.size() - SINGLE_LOOKUPS;
            CompletableFuture<?> turn = before < 0 ? CompletableFuture.completedFuture(null) : lookups.get(before);
            lookups.add(turn.handle((result, failure) -> null).thenCompose(now -> stat(new FilePath(volume, path))));
        }
        return CompletableFuture.allOf(lookups.toArray(CompletableFuture[]::new))
                .thenApply(all -> lookups.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<Optional<FoundFile>> stat(FilePath file) {
        return coordinator
                .stat(file)
                .thenApply(status -> Optional.of(new FoundFile(
                        new EntryStatus(
                                Optional.of(status.version()), status.createdAtMillis(), status.attributes(), false),
                        Optional.empty())))
                .exceptionallyCompose(failure -> Reasons.unwrapped(failure) instanceof CloudMwException known
                                && known.code() == ErrorCode.NOT_FOUND
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(Reasons.unwrapped(failure)));
    }

    private static List<Optional<FoundFile>> found(StatFilesResponse answer, int paths) throws CloudMwException {
        if (answer.getFilesCount() != paths) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "status of files: " + answer.getFilesCount() + " files (expected: " + paths + ")");
        }
        List<Optional<FoundFile>> found = new ArrayList<>(paths);
        for (StatedFile file : answer.getFilesList()) {
            found.add(file.hasVersion() ? Optional.of(found(file)) : Optional.empty());
        }
        return found;
    }

    static FoundFile found(StatedFile file) throws CloudMwException {
        FileVersion version = FromWire.version(file.getVersion());
        return new FoundFile(
                new EntryStatus(
                        Optional.of(version),
                        file.getCreatedAtMillis(),
                        FromWire.attributes(file.getAttributes()),
                        false),
                slice(file, version));
    }

    /** Returns a slice only if it is that of the manifest; a read of the file alone tells what is wrong with another. */
    private static Optional<Chunk> slice(StatedFile file, FileVersion version) throws CloudMwException {
        if (file.getChunksCount() != 1) {
            return Optional.empty();
        }
        PlannedChunk planned = FromWire.plannedChunk(io.cloudmw.proto.v1.PlannedChunk.newBuilder()
                .setChunk(file.getChunks(0))
                .setManifestChunkId(file.getManifestChunkId())
                .addAllManifestStoreIds(file.getManifestStoreIdsList())
                .build());
        Chunk chunk = planned.chunk();
        boolean isWholeFile = chunk.id().slice().isPresent()
                && chunk.range().equals(new ByteRange(0, version.sizeBytes()))
                && version.segmentCount() == 1;
        return isWholeFile && manifestSha256(planned).equals(version.manifestSha256())
                ? Optional.of(chunk)
                : Optional.empty();
    }

    private static String manifestSha256(PlannedChunk only) throws CloudMwException {
        byte[] segment = ManifestSegment.checked(0, List.of(only.inManifest())).encode();
        return new ManifestDigest().add(ManifestDigest.ofSegment(segment)).finish();
    }
}

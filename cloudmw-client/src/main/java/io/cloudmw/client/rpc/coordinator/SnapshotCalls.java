package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.SnapshotWire;
import io.cloudmw.proto.v1.CreateSnapshotRequest;
import io.cloudmw.proto.v1.GetEntryInRequest;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.ListInRequest;
import io.cloudmw.proto.v1.ListSnapshotsRequest;
import io.cloudmw.proto.v1.RemoveSnapshotRequest;
import io.cloudmw.proto.v1.RestoreFileRequest;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StatInRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Calls about the snapshots of volumes. A file's content at that time is read by its version's id, like any version.
 * Safe for any thread.
 */
public final class SnapshotCalls {
    private final CoordinatorClient coordinator;

    SnapshotCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Snapshots the names of a volume as they are now. Fails with {@code ALREADY_EXISTS}. */
    public CompletableFuture<Snapshot> create(VolumeName volume, String name) {
        CreateSnapshotRequest request = CreateSnapshotRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setVolume(volume.value())
                .setName(name)
                .build();
        return coordinator.call(
                SnapshotsGrpc.getCreateSnapshotMethod(),
                request,
                answer -> SnapshotWire.snapshot(answer.getSnapshot()));
    }

    /** All snapshots of a volume, the oldest first. */
    public CompletableFuture<List<Snapshot>> list(VolumeName volume) {
        return coordinator.call(
                SnapshotsGrpc.getListSnapshotsMethod(),
                ListSnapshotsRequest.newBuilder().setVolume(volume.value()).build(),
                answer -> CoordinatorClient.all(answer.getSnapshotsList(), SnapshotWire::snapshot));
    }

    /** Removes a snapshot; versions that only the snapshot kept go in the background. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<Snapshot> remove(VolumeName volume, String name) {
        RemoveSnapshotRequest request = RemoveSnapshotRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setVolume(volume.value())
                .setName(name)
                .build();
        return coordinator.call(
                SnapshotsGrpc.getRemoveSnapshotMethod(), request, answer -> SnapshotWire.snapshot(answer.getRemoved()));
    }

    /** The file that a path named in the snapshot. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileStatus> stat(String snapshot, FilePath file) {
        StatInRequest request = StatInRequest.newBuilder()
                .setSnapshot(snapshot)
                .setOf(CoordinatorClient.statRequest(file))
                .build();
        return coordinator.call(SnapshotsGrpc.getStatInMethod(), request, CoordinatorClient::status);
    }

    /**
     * Lists a page of a directory in the snapshot, by name.
     *
     * @param limit 1..1000
     */
    public CompletableFuture<Page<FileEntry>> listFiles(
            String snapshot, VolumeName volume, String directory, String pageToken, int limit) {
        ListInRequest request = ListInRequest.newBuilder()
                .setSnapshot(snapshot)
                .setOf(CoordinatorClient.listRequest(volume, directory, pageToken, limit))
                .build();
        return coordinator.call(SnapshotsGrpc.getListInMethod(), request, CoordinatorClient::page);
    }

    /**
     * Looks up what a path named in the snapshot. Fails with {@code NOT_FOUND}.
     *
     * @param path {@code /} or {@code /a/b}
     */
    public CompletableFuture<EntryStatus> entry(String snapshot, VolumeName volume, String path) {
        GetEntryInRequest request = GetEntryInRequest.newBuilder()
                .setSnapshot(snapshot)
                .setOf(GetEntryRequest.newBuilder().setVolume(volume.value()).setPath(path))
                .build();
        return coordinator.call(SnapshotsGrpc.getGetEntryInMethod(), request, EntryCalls::status);
    }

    /**
     * Restores what a path named in the snapshot, over the present file. Nothing is copied. Fails with {@code NOT_FOUND},
     * and with {@code ALREADY_EXISTS} where a file and a directory are in each other's place.
     *
     * @return the version; empty: a directory
     */
    public CompletableFuture<Optional<FileVersion>> restore(String snapshot, FilePath path) {
        RestoreFileRequest request = RestoreFileRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setSnapshot(snapshot)
                .setVolume(path.volume().value())
                .setPath(path.path())
                .build();
        return coordinator.call(
                SnapshotsGrpc.getRestoreFileMethod(),
                request,
                answer -> answer.hasVersion() ? Optional.of(FromWire.version(answer.getVersion())) : Optional.empty());
    }
}

package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Snapshot;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.SnapshotWire;
import io.cloudmw.proto.v1.CreateSnapshotRequest;
import io.cloudmw.proto.v1.ListInRequest;
import io.cloudmw.proto.v1.ListSnapshotsRequest;
import io.cloudmw.proto.v1.RemoveSnapshotRequest;
import io.cloudmw.proto.v1.RestoreFileRequest;
import io.cloudmw.proto.v1.SnapshotsGrpc;
import io.cloudmw.proto.v1.StatInRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** How the names of volumes were. What a file was is read by its version's id, like any. Safe for any thread. */
public final class SnapshotCalls {
    private final CoordinatorClient coordinator;

    SnapshotCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Keeps the names of a volume as they are now. Fails with {@code ALREADY_EXISTS}. */
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

    /** All of a volume, the oldest first. */
    public CompletableFuture<List<Snapshot>> of(VolumeName volume) {
        return coordinator.call(
                SnapshotsGrpc.getListSnapshotsMethod(),
                ListSnapshotsRequest.newBuilder().setVolume(volume.value()).build(),
                answer -> CoordinatorClient.all(answer.getSnapshotsList(), SnapshotWire::snapshot));
    }

    /** Keeps it no more; what only it kept goes in the background. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<Snapshot> remove(VolumeName volume, String name) {
        RemoveSnapshotRequest request = RemoveSnapshotRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setVolume(volume.value())
                .setName(name)
                .build();
        return coordinator.call(
                SnapshotsGrpc.getRemoveSnapshotMethod(), request, answer -> SnapshotWire.snapshot(answer.getRemoved()));
    }

    /** What a path named then. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileStatus> stat(String snapshot, FilePath file) {
        StatInRequest request = StatInRequest.newBuilder()
                .setSnapshot(snapshot)
                .setOf(CoordinatorClient.statRequest(file))
                .build();
        return coordinator.call(SnapshotsGrpc.getStatInMethod(), request, CoordinatorClient::status);
    }

    /**
     * One page of a directory as it was, by name.
     *
     * @param limit 1..1000
     */
    public CompletableFuture<Page<FileEntry>> list(
            String snapshot, VolumeName volume, String directory, String pageToken, int limit) {
        ListInRequest request = ListInRequest.newBuilder()
                .setSnapshot(snapshot)
                .setOf(CoordinatorClient.listRequest(volume, directory, pageToken, limit))
                .build();
        return coordinator.call(SnapshotsGrpc.getListInMethod(), request, CoordinatorClient::page);
    }

    /**
     * Lets a path name again what it named then: that version, whatever is there now. Nothing is copied. Fails with
     * {@code NOT_FOUND}, and with {@code ALREADY_EXISTS} where a directory is.
     */
    public CompletableFuture<FileVersion> restore(String snapshot, FilePath file) {
        RestoreFileRequest request = RestoreFileRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setSnapshot(snapshot)
                .setVolume(file.volume().value())
                .setPath(file.path())
                .build();
        return coordinator.call(
                SnapshotsGrpc.getRestoreFileMethod(), request, answer -> FromWire.version(answer.getVersion()));
    }
}

package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.wire.EntryWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CreateDirectoryRequest;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.GetEntryResponse;
import io.cloudmw.proto.v1.RemoveDirectoryRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls about entries, directories that stay and copies. Futures fail as those of {@link CoordinatorClient} do. Safe
 * for any thread.
 */
public final class EntryCalls {
    private final CoordinatorClient coordinator;

    EntryCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Looks up what a path names. Fails with {@code NOT_FOUND}.
     *
     * @param path {@code /} or {@code /a/b}
     */
    public CompletableFuture<EntryStatus> entry(VolumeName volume, String path) {
        GetEntryRequest request = GetEntryRequest.newBuilder()
                .setVolume(volume.value())
                .setPath(path)
                .build();
        return coordinator.call(EntriesGrpc.getGetEntryMethod(), request, EntryCalls::status);
    }

    /** Looks up what a path names; empty: nothing. Fails with {@code NOT_FOUND} when the directory above is missing. */
    public CompletableFuture<Optional<EntryStatus>> entryOrPlace(FilePath path) {
        GetEntryRequest request = GetEntryRequest.newBuilder()
                .setVolume(path.volume().value())
                .setPath(path.path())
                .setMayBeAbsent(true)
                .build();
        return coordinator.call(
                EntriesGrpc.getGetEntryMethod(),
                request,
                answer -> answer.getAbsent() ? Optional.empty() : Optional.of(status(answer)));
    }

    static EntryStatus status(GetEntryResponse answer) throws CloudMwException {
        return new EntryStatus(
                answer.hasVersion() ? Optional.of(FromWire.version(answer.getVersion())) : Optional.empty(),
                answer.getCreatedAtMillis(),
                FromWire.attributes(answer.getAttributes()),
                answer.getStays());
    }

    /** Creates a directory that stays when it is empty, with these attributes. */
    public CompletableFuture<Void> createDirectory(FilePath directory, boolean parents, Attributes attributes) {
        CreateDirectoryRequest request = CreateDirectoryRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setVolume(directory.volume().value())
                .setPath(directory.path())
                .setParents(parents)
                .setAttributes(ToWire.attributes(attributes))
                .build();
        return coordinator
                .call(EntriesGrpc.getCreateDirectoryMethod(), request, answer -> answer)
                .thenAccept(answer -> {});
    }

    /** Removes an empty directory. Fails with {@code NOT_EMPTY}. */
    public CompletableFuture<Void> removeDirectory(FilePath directory) {
        RemoveDirectoryRequest request = RemoveDirectoryRequest.newBuilder()
                .setCall(CoordinatorClient.newCall())
                .setVolume(directory.volume().value())
                .setPath(directory.path())
                .build();
        return coordinator
                .call(EntriesGrpc.getRemoveDirectoryMethod(), request, answer -> answer)
                .thenAccept(answer -> {});
    }

    /** Lets another path name the version of a file; returns it under that path. */
    public CompletableFuture<FileVersion> copy(FileCopy copy) {
        return coordinator.call(
                EntriesGrpc.getCopyFileMethod(),
                EntryWire.request(copy).setCall(CoordinatorClient.newCall()).build(),
                answer -> FromWire.version(answer.getCopied()));
    }
}

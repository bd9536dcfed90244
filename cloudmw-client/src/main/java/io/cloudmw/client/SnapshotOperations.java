package io.cloudmw.client;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.rpc.coordinator.SnapshotCalls;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The operations on snapshots: names of a volume, kept as they were at a moment. The bytes of a file in a snapshot are
 * read by the id of its version ({@link GetOptions#withVersion}). Safe for any thread; {@link CloudMw} says how a future
 * fails and which threads run callbacks.
 */
public final class SnapshotOperations {
    private final SnapshotCalls calls;

    SnapshotOperations(SnapshotCalls calls) {
        this.calls = calls;
    }

    /**
     * Creates a snapshot of the names of a volume as they are now.
     *
     * @return the snapshot; fails with {@code VOLUME_NOT_FOUND}, and with {@code ALREADY_EXISTS} when the volume has a
     *     snapshot of this name
     */
    public CompletableFuture<Snapshot> create(VolumeName volume, String name) {
        return calls.create(volume, name);
    }

    /**
     * Lists the snapshots of a volume, the oldest first.
     *
     * @return the snapshots; fails with {@code VOLUME_NOT_FOUND}
     */
    public CompletableFuture<List<Snapshot>> list(VolumeName volume) {
        return calls.list(volume);
    }

    /**
     * Removes a snapshot. Copies that only this snapshot kept are deleted later, in the background.
     *
     * @return the snapshot that was removed; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<Snapshot> remove(VolumeName volume, String name) {
        return calls.remove(volume, name);
    }

    /**
     * Looks up a file in a snapshot.
     *
     * @return the file and its version then; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<FileStatus> stat(String snapshot, FilePath file) {
        return calls.stat(snapshot, file);
    }

    /**
     * Lists one page of a directory in a snapshot, by name.
     *
     * @param directory {@code "/"} or {@code "/a/b"}
     * @param pageToken from the previous page; empty: from the start
     * @param limit largest number of entries, 1 to 1000
     * @return the page; fails with {@code NOT_FOUND}
     */
    public CompletableFuture<Page<FileEntry>> listFiles(
            String snapshot, VolumeName volume, String directory, String pageToken, int limit) {
        return calls.listFiles(snapshot, volume, directory, pageToken, limit);
    }

    /**
     * Looks up what a path named in a snapshot: a file or a directory.
     *
     * @param path {@code "/"} or {@code "/a/b"}
     * @return the entry then; fails with {@code NOT_FOUND} when the path named nothing
     */
    public CompletableFuture<EntryStatus> entry(String snapshot, VolumeName volume, String path) {
        return calls.entry(snapshot, volume, path);
    }

    /**
     * Makes the version in a snapshot the current version of its path again, whatever file the path names now. No byte is
     * copied. A directory that stayed when it was empty is made again, with its attributes then; one that did not appears
     * with its files.
     *
     * @return the version that is current now; empty: a directory. Fails with {@code NOT_FOUND}, and with
     *     {@code ALREADY_EXISTS} when a file and a directory are in each other's place
     */
    public CompletableFuture<Optional<FileVersion>> restore(String snapshot, FilePath path) {
        return calls.restore(snapshot, path);
    }
}

package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The path of a file or directory of a volume as it is now, {@code volume:/a/b}, or as it was, {@code
 * volume@snapshot:/a/b}.
 *
 * @param snapshot empty: now
 * @param path {@code /} or {@code /a/b}
 */
public record RemotePath(VolumeName volume, Optional<String> snapshot, String path) {
    private static final int PAGE = 1000;

    public RemotePath {
        snapshot.ifPresent(Snapshot::checkName);
        path = path.equals("/") ? path : new FilePath(volume, path).path(); // checked
    }

    /**
     * Parses {@code volume:/path} or {@code volume@snapshot:/path}.
     *
     * @throws IllegalArgumentException when the text has another form
     */
    public static RemotePath parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: volume:/path)");
        }
        return of(text.substring(0, colon), text.substring(colon + 1));
    }

    /** Parses the path of a directory: it may end in {@code /}, and the volume's name alone is its {@code /}. */
    public static RemotePath directory(String text) {
        int colon = text.indexOf(':');
        String path = colon < 0 ? "" : text.substring(colon + 1);
        String place = colon < 0 ? text : text.substring(0, colon);
        return of(
                place,
                path.isEmpty()
                        ? "/"
                        : path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
    }

    private static RemotePath of(String place, String path) {
        int at = place.indexOf('@');
        return at < 0
                ? new RemotePath(new VolumeName(place), Optional.empty(), path)
                : new RemotePath(new VolumeName(place.substring(0, at)), Optional.of(place.substring(at + 1)), path);
    }

    /**
     * Returns this path, for a caller that wants to change it.
     *
     * @throws IllegalArgumentException when it is in a snapshot
     */
    public RemotePath requireCurrent() {
        if (snapshot.isPresent()) {
            throw new IllegalArgumentException(this + ": a snapshot cannot be changed (expected: volume:/path)");
        }
        return this;
    }

    /** Returns whether this is the directory of all files of the volume. */
    public boolean isRoot() {
        return path.equals("/");
    }

    /**
     * The path of a file, in any snapshot.
     *
     * @throws IllegalArgumentException for {@code /}
     */
    public FilePath file() {
        return new FilePath(volume, path);
    }

    /**
     * The path of an entry of this directory.
     *
     * @throws IllegalArgumentException when a file cannot have the name
     */
    RemotePath child(String name) {
        return new RemotePath(volume, snapshot, (path.equals("/") ? "" : path) + "/" + name);
    }

    /**
     * The path of an entry of this directory.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when the name leads elsewhere
     */
    RemotePath child(FileEntry entry) throws CloudMwException {
        try {
            RemotePath child = child(entry.name());
            if (child.name().equals(entry.name())) {
                return child;
            }
        } catch (IllegalArgumentException e) {
            // Not a name either.
        }
        throw new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION, this + ": lists \"" + entry.name() + "\", which is not a valid name");
    }

    /** The last segment. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The status of the file. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileStatus> stat(CloudMw client) {
        return snapshot.isPresent()
                ? client.snapshots().stat(snapshot.get(), file())
                : client.files().stat(file());
    }

    /** The entry at the path. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<EntryStatus> entry(CloudMw client) {
        return snapshot.isPresent()
                ? client.snapshots().entry(snapshot.get(), volume, path)
                : client.files().entry(volume, path);
    }

    /**
     * A page of the directory, by name.
     *
     * @param token where the page before ended
     * @return fails with {@code NOT_FOUND}
     */
    public CompletableFuture<Page<FileEntry>> list(CloudMw client, String token) {
        return snapshot.isPresent()
                ? client.snapshots().listFiles(snapshot.get(), volume, path, token, PAGE)
                : client.files().list(volume, path, token, PAGE);
    }

    /**
     * Returns whether the snapshot exists; true without a snapshot, because calls report a missing volume themselves.
     */
    CompletableFuture<Boolean> isKept(CloudMw client) {
        return snapshot.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : client.snapshots()
                        .list(volume)
                        .thenApply(
                                all -> all.stream().anyMatch(one -> one.name().equals(snapshot.get())));
    }

    @Override
    public String toString() {
        return volume + snapshot.map(name -> "@" + name).orElse("") + ":" + path;
    }
}

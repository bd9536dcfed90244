package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Snapshot;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A file or directory of a volume as it is now, written {@code volume:/a/b}, or as it was, {@code volume@snapshot:/a/b}.
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
     * Reads {@code volume:/path} or {@code volume@snapshot:/path}.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static RemotePath parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: volume:/path)");
        }
        return of(text.substring(0, colon), text.substring(colon + 1));
    }

    /** Reads the same of a directory: it may end in {@code /}, and the volume alone is its {@code /}. */
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
     * This, for who wants to change it.
     *
     * @throws IllegalArgumentException when it is of a snapshot
     */
    public RemotePath requireCurrent() {
        if (snapshot.isPresent()) {
            throw new IllegalArgumentException(this + ": a snapshot cannot be changed (expected: volume:/path)");
        }
        return this;
    }

    /**
     * The path of a file, whenever.
     *
     * @throws IllegalArgumentException for {@code /}
     */
    public FilePath file() {
        return new FilePath(volume, path);
    }

    /**
     * What has this name in this directory.
     *
     * @throws IllegalArgumentException when a file cannot have it
     */
    RemotePath child(String name) {
        return new RemotePath(volume, snapshot, (path.equals("/") ? "" : path) + "/" + name);
    }

    /**
     * What has the name of an entry of this directory.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when that leads elsewhere
     */
    RemotePath child(FileEntry entry) throws CloudMwException {
        try {
            RemotePath child = child(entry.name());
            if (child.name().equals(entry.name())) {
                return child;
            }
        } catch (IllegalArgumentException e) {
            // No name either.
        }
        throw new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION, this + ": lists \"" + entry.name() + "\", which is no name");
    }

    /** The last segment. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** What is known of the file. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<FileStatus> stat(CloudMw client) {
        return snapshot.isPresent() ? client.snapshots().stat(snapshot.get(), file()) : client.stat(file());
    }

    /** A page of the directory, by name; {@code token}: where the one before ended. Fails with {@code NOT_FOUND}. */
    public CompletableFuture<Page<FileEntry>> list(CloudMw client, String token) {
        return snapshot.isPresent()
                ? client.snapshots().list(snapshot.get(), volume, path, token, PAGE)
                : client.list(volume, path, token, PAGE);
    }

    /** Whether what it would be in is there: the snapshot, or else the volume, which says so itself where it is not. */
    CompletableFuture<Boolean> isKept(CloudMw client) {
        return snapshot.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : client.snapshots()
                        .of(volume)
                        .thenApply(
                                all -> all.stream().anyMatch(one -> one.name().equals(snapshot.get())));
    }

    @Override
    public String toString() {
        return volume + snapshot.map(name -> "@" + name).orElse("") + ":" + path;
    }
}

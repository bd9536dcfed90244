package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.hadoop.volume.StatusPages.StatusPage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Looks up and lists what paths name: volumes, snapshots, directories and files. All paths are qualified. Safe for any
 * thread; calls block.
 */
public final class VolumeNames {
    private static final int PAGE = 1000;

    private final CloudMw client;
    private final PathNames names;
    private final StatusFactory statuses;

    /** @param client not closed with this */
    public VolumeNames(CloudMw client, PathNames names, StatusFactory statuses) {
        this.client = client;
        this.names = names;
        this.statuses = statuses;
    }

    FileOperations files() {
        return client.files();
    }

    PathNames names() {
        return names;
    }

    /** The place of a path. */
    public NamedPath place(Path path) throws IOException {
        return names.of(path);
    }

    /**
     * The place of a path that is to be changed.
     *
     * @throws PathIOException when it is in a snapshot, or is the directory of all volumes
     */
    public NamedPath changeable(Path path) throws IOException {
        NamedPath place = names.of(path);
        if (place.isFixed()) {
            throw new PathIOException(
                    path.toString(),
                    place.isClusterRoot()
                            ? "the directory of all volumes cannot be changed (expected: a path in a volume)"
                            : "a snapshot cannot be changed (expected: a path outside " + PathNames.SNAPSHOTS + ")");
        }
        return place;
    }

    /**
     * The changeable entry of a volume that a path names.
     *
     * @throws PathIOException also for the root of a volume, and for names that no entry can have
     */
    public FilePath entry(Path path) throws IOException {
        NamedPath place = changeable(path);
        try {
            return place.file();
        } catch (IllegalArgumentException e) {
            throw new PathIOException(path.toString(), e);
        }
    }

    /** The entry at a changeable path; empty: there is none. */
    public Optional<EntryStatus> find(Path path, NamedPath place) throws IOException {
        return HadoopErrors.await(path, findLater(place));
    }

    /** The entry at a changeable path; empty: there is none. */
    CompletableFuture<Optional<EntryStatus>> findLater(NamedPath place) {
        return present(client.files().entry(place.volume().orElseThrow(), place.path()));
    }

    private static <T> CompletableFuture<Optional<T>> present(CompletableFuture<T> call) {
        CompletableFuture<Optional<T>> found = call.thenApply(Optional::of);
        return found.exceptionallyCompose(failure -> {
            Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
            return cause instanceof CloudMwException known && known.code() == ErrorCode.NOT_FOUND
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(cause);
        });
    }

    /** The entry at a changeable path. */
    public EntryStatus require(Path path, NamedPath place) throws IOException {
        return find(path, place).orElseThrow(() -> missing(path));
    }

    /** The exception for a path that names nothing. */
    static FileNotFoundException missing(Path path) {
        return new FileNotFoundException("File does not exist: " + path);
    }

    /** The status of a path. */
    public CloudMwFileStatus status(Path path) throws IOException {
        NamedPath place = names.of(path);
        if (place.isClusterRoot()) {
            return statuses.directory(path, 0);
        }
        if (place.snapshots()) {
            Volume volume =
                    HadoopErrors.await(path, client.volumes().get(place.volume().orElseThrow()));
            return statuses.directory(path, volume.createdAtMillis());
        }
        return statuses.status(path, place.snapshot().isPresent() ? inSnapshot(path, place) : require(path, place));
    }

    /** The entry in a snapshot; a directory has neither times nor attributes there. */
    private EntryStatus inSnapshot(Path path, NamedPath place) throws IOException {
        String snapshot = place.snapshot().orElseThrow();
        Snapshot taken = snapshot(path, place.volume().orElseThrow(), snapshot);
        EntryStatus directory = new EntryStatus(Optional.empty(), taken.createdAtMillis(), Attributes.NONE, true);
        if (place.path().equals("/")) {
            return directory;
        }
        Optional<EntryStatus> file = HadoopErrors.await(
                path,
                present(client.snapshots().stat(snapshot, place.file()))
                        .thenApply(found -> found.map(status -> new EntryStatus(
                                Optional.of(status.version()), status.createdAtMillis(), status.attributes(), false))));
        if (file.isPresent()) {
            return file.get();
        }
        if (snapshotPage(path, place, "", 1).items().isEmpty()) {
            throw missing(path);
        }
        return directory;
    }

    private Snapshot snapshot(Path path, VolumeName volume, String name) throws IOException {
        return HadoopErrors.await(path, client.snapshots().list(volume)).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> missing(path));
    }

    private Page<FileEntry> snapshotPage(Path path, NamedPath place, String token, int limit) throws IOException {
        return HadoopErrors.await(
                path,
                client.snapshots()
                        .listFiles(
                                place.snapshot().orElseThrow(),
                                place.volume().orElseThrow(),
                                place.path(),
                                token,
                                limit));
    }

    /**
     * Lists a directory, or a file alone. The first page is fetched now.
     *
     * @return an iterator for one thread
     * @throws FileNotFoundException when the path names nothing
     */
    public RemoteIterator<CloudMwFileStatus> list(Path path) throws IOException {
        NamedPath place = names.of(path);
        if (place.isClusterRoot()) {
            List<CloudMwFileStatus> volumes = HadoopErrors.await(
                            path, client.volumes().list())
                    .stream()
                    .map(volume ->
                            statuses.directory(new Path(path, names.rootOf(volume.name())), volume.createdAtMillis()))
                    .toList();
            return complete(volumes);
        }
        if (place.snapshots()) {
            VolumeName volume = place.volume().orElseThrow();
            List<CloudMwFileStatus> snapshots = HadoopErrors.await(
                            path, client.snapshots().list(volume))
                    .stream()
                    .map(each -> statuses.directory(new Path(path, each.name()), each.createdAtMillis()))
                    .toList();
            return complete(snapshots);
        }
        StatusPages.Source source = token -> page(path, place, token);
        StatusPage first = firstPage(source);
        if (first.entries().isEmpty()) {
            CloudMwFileStatus status = status(path);
            if (status.isFile()) {
                return complete(List.of(status));
            }
        }
        return new StatusPages(first, source);
    }

    /** The first page; empty also where there is no directory. */
    private static StatusPage firstPage(StatusPages.Source source) throws IOException {
        try {
            return source.page("");
        } catch (FileNotFoundException e) {
            return new StatusPage(List.of(), "");
        }
    }

    private static StatusPages complete(List<CloudMwFileStatus> entries) {
        return new StatusPages(new StatusPage(entries, ""), token -> new StatusPage(List.of(), ""));
    }

    private StatusPage page(Path path, NamedPath place, String token) throws IOException {
        if (place.snapshot().isPresent()) {
            Page<FileEntry> page = snapshotPage(path, place, token, PAGE);
            List<CloudMwFileStatus> entries = page.items().stream()
                    .map(entry -> statuses.status(child(path, entry), withoutAttributes(entry)))
                    .toList();
            return new StatusPage(entries, page.nextToken());
        }
        VolumeName volume = place.volume().orElseThrow();
        Page<FileEntry> page = HadoopErrors.await(path, client.files().list(volume, place.path(), token, PAGE));
        List<CompletableFuture<Optional<EntryStatus>>> entries = new ArrayList<>();
        for (FileEntry entry : page.items()) {
            entries.add(
                    entry.attributesDigest() == 0
                            ? CompletableFuture.completedFuture(Optional.of(withoutAttributes(entry)))
                            : present(client.files()
                                    .entry(
                                            volume,
                                            (place.path().equals("/") ? "" : place.path()) + "/" + entry.name())));
        }
        List<CloudMwFileStatus> found = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Path child = child(path, page.items().get(i));
            HadoopErrors.await(path, entries.get(i)).ifPresent(status -> found.add(statuses.status(child, status)));
        }
        return new StatusPage(found, page.nextToken());
    }

    /** The path of an entry, whose name may have a colon. */
    private static Path child(Path directory, FileEntry entry) {
        return new Path(directory, new Path(null, null, entry.name()));
    }

    /** The status of an entry that has no attributes, or whose attributes do not matter. */
    private static EntryStatus withoutAttributes(FileEntry entry) {
        return new EntryStatus(entry.version(), entry.createdAtMillis(), Attributes.NONE, entry.createdAtMillis() > 0);
    }

    /**
     * Fails unless the directory above a path exists, or can be made.
     *
     * @param make whether it may be missing
     * @throws ParentNotDirectoryException when it is a file, or below a file
     */
    void checkParent(Path path, Optional<EntryStatus> parent, boolean make) throws IOException {
        if (parent.isEmpty() && !make) {
            throw missing(path);
        }
        if (parent.isPresent() && !parent.get().isDirectory()) {
            throw new ParentNotDirectoryException(path + " is not a directory");
        }
    }
}

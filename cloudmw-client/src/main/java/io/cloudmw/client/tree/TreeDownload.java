package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A copy from a volume to this machine. */
final class TreeDownload extends TreeCopy {
    private final SmallFileBatches<Small> small = new SmallFileBatches<>(this, this::copySmall);

    TreeDownload(CloudMw client, Path to, RemotePath from, TreeOptions options) {
        super(client, to, from, options);
    }

    /** Refuses a missing directory: mirrored, it would delete everything. */
    @Override
    void check() throws IOException {
        if (Calls.await(there().list(client(), "")).items().isEmpty()) {
            throw new CloudMwException(ErrorCode.NOT_FOUND, there() + ": no such directory");
        }
        if (Files.exists(here()) && !Files.isDirectory(here())) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, here() + ": not a directory");
        }
    }

    @Override
    void copyAll() throws CloudMwException, InterruptedException {
        copy(there(), here());
        small.submit();
    }

    @Override
    void countAll(SourceCount count) throws IOException, InterruptedException {
        count(there(), count);
    }

    private void count(RemotePath directory, SourceCount count) throws CloudMwException, InterruptedException {
        String token = "";
        do {
            Page<FileEntry> page = Calls.await(directory.list(client(), token));
            for (FileEntry entry : page.items()) {
                RemotePath path = directory.child(entry);
                if (entry.version().isEmpty()) {
                    count(path, count);
                } else if (!isPartial(path.name())) {
                    count.add(entry.version().get().sizeBytes());
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty() && !count.isEnded());
    }

    private void copy(RemotePath directory, Path into) throws CloudMwException, InterruptedException {
        if (isUsable(into)) {
            walk(directory, entry -> copyOne(directory, entry, into));
        }
    }

    private void copyOne(RemotePath directory, FileEntry entry, Path into)
            throws CloudMwException, InterruptedException {
        RemotePath there = directory.child(entry);
        try {
            Path path = options().names().onThisMachine(into, there.name());
            if (entry.version().isEmpty()) {
                copy(there, path);
            } else if (isPartial(String.valueOf(path.getFileName()))) {
                counters().skips(there.toString(), "has the name of a get's temporary file");
            } else if (isSmall(entry.version().get().sizeBytes())
                    && there.snapshot().isEmpty()) {
                small.add(new Small(there, path, entry.version().get().sizeBytes()));
            } else {
                submit(there.toString(), () -> file(there, path));
            }
        } catch (IllegalArgumentException e) {
            failed(there.toString(), e); // no name for a local file
        }
    }

    /** Creates the directory unless this is a dry run, and returns whether it can be used. Never follows a link. */
    private boolean isUsable(Path directory) {
        try {
            if (!directory.equals(here()) && Files.isSymbolicLink(directory)) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, directory + ": is a symbolic link");
            }
            if (!options().dryRun() && !Files.isDirectory(directory)) {
                Files.createDirectories(directory);
            }
            return true;
        } catch (IOException e) {
            failed(NameStyle.shown(directory), e instanceof CloudMwException ? e : local(directory, "make", e));
            return false;
        }
    }

    // ---- small files, many at once

    /** A small file that waits for others. */
    private record Small(RemotePath file, Path path, long bytes) {}

    /** Copies files; only those that are here already are looked up first. */
    private CompletableFuture<?> copySmall(List<Small> some) {
        Map<Small, String> reasons = new LinkedHashMap<>();
        List<Small> there = new ArrayList<>();
        for (Small file : some) {
            if (isAbsent(file.path())) {
                reasons.put(file, "not there");
            } else {
                there.add(file);
            }
        }
        List<FilePath> known = there.stream().map(file -> file.file().file()).toList();
        return call(client().files().statAll(known))
                .thenComposeAsync(
                        found -> {
                            for (int i = 0; i < there.size(); i++) {
                                compare(there.get(i), found.get(i), reasons);
                            }
                            return getSmall(reasons);
                        },
                        files());
    }

    private static boolean isAbsent(Path path) {
        return Files.notExists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Adds the reason to copy a file, if there is one. */
    private void compare(Small file, Optional<EntryStatus> found, Map<Small, String> reasons) {
        if (found.isEmpty()) {
            return; // it was removed since it was listed
        }
        try {
            // Without digests nothing is waited for.
            Optional<String> why = why(file.path(), found.get()).join();
            if (why.isEmpty()) {
                counters().unchanged(file.bytes());
            } else {
                reasons.put(file, why.get());
            }
        } catch (CompletionException e) {
            failed(file.file().toString(), e);
        }
    }

    private CompletableFuture<?> getSmall(Map<Small, String> reasons) {
        List<Small> differing = List.copyOf(reasons.keySet());
        reasons.forEach((file, why) -> counters().copies(file.file().toString(), file.bytes(), why));
        if (options().dryRun()) {
            differing.forEach(file -> counters().copied(file.bytes(), 0));
            return CompletableFuture.completedFuture(null);
        }
        List<FileGet> gets = differing.stream()
                .map(file -> new FileGet(file.file().file(), file.path()))
                .toList();
        return each(
                differing,
                client().files().getAll(gets, options().get()),
                file -> file.file().toString(),
                this::timed);
    }

    private void timed(Small file, EntryStatus status) {
        long bytes = status.version().orElseThrow().sizeBytes();
        counters().progressed(bytes);
        setTime(file.path(), status);
        counters().copied(bytes, 0);
    }

    // ---- other files

    private CompletableFuture<?> file(RemotePath file, Path path) {
        return entry(call(file.stat(client())))
                .thenComposeAsync(
                        there -> why(path, there).thenComposeAsync(why -> copyUnless(file, path, there, why), files()),
                        files());
    }

    /**
     * Copies a file if there is a reason.
     *
     * @param why empty: the file is unchanged
     */
    private CompletableFuture<Void> copyUnless(RemotePath file, Path path, EntryStatus there, Optional<String> why) {
        if (why.isEmpty()) {
            counters().unchanged(there.version().orElseThrow().sizeBytes());
            return CompletableFuture.completedFuture(null);
        }
        long bytes = there.version().orElseThrow().sizeBytes();
        counters().copies(file.toString(), bytes, why.get());
        if (options().dryRun()) {
            counters().copied(bytes, 0);
            return CompletableFuture.completedFuture(null);
        }
        return get(file, path, there);
    }

    private CompletableFuture<Optional<String>> why(Path path, EntryStatus there) {
        try {
            BasicFileAttributes here = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!here.isRegularFile()) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO,
                        path + ": is " + (here.isSymbolicLink() ? "a symbolic link" : "not a regular file"));
            }
            return difference(path, here, there);
        } catch (NoSuchFileException e) {
            return CompletableFuture.completedFuture(Optional.of("not there"));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e instanceof CloudMwException ? e : local(path, "look at", e));
        }
    }

    private CompletableFuture<Void> get(RemotePath file, Path path, EntryStatus there) {
        return call(client().files()
                        .get(
                                file.file(),
                                path,
                                options()
                                        .get()
                                        .withVersion(
                                                there.version().orElseThrow().id())
                                        .withListener(progress(file))))
                .thenAcceptAsync(receipt -> timed(path, there, receipt), files());
    }

    private static void setTime(Path path, EntryStatus there) {
        try {
            Files.setLastModifiedTime(path, RecordedTime.of(there.version().orElseThrow(), there.attributes()));
        } catch (IOException e) {
            throw new CompletionException(local(path, "set the time of", e));
        }
    }

    private void timed(Path path, EntryStatus there, GetReceipt receipt) {
        setTime(path, there);
        counters().copied(receipt.bytes(), receipt.resumedBytes());
    }

    // ---- local files that the volume lacks

    @Override
    void deleteOthers() throws IOException, InterruptedException {
        if (Files.isDirectory(here())) {
            delete(here(), there());
        }
    }

    /** Deletes local files that the volume lacks; directories go with their last entry. */
    private void delete(Path directory, RemotePath there) throws CloudMwException, InterruptedException {
        walk(directory, path -> deleteOne(path, there));
    }

    private void deleteOne(Path path, RemotePath there) throws IOException, InterruptedException {
        try {
            String name = options().names().inVolume(path);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                delete(path, there.child(name));
                removeIfEmpty(path);
            } else if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                    && !isPartial(String.valueOf(path.getFileName()))) {
                RemotePath file = there.child(name);
                submit(NameStyle.shown(path), () -> removeUnless(file, path));
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            failed(NameStyle.shown(path), e instanceof IOException io ? local(path, "delete", io) : e);
        }
    }

    /** Deletes the file unless the snapshot that lacks it has been removed meanwhile. */
    private CompletableFuture<?> removeUnless(RemotePath file, Path path) {
        return orAbsent(entry(call(file.stat(client()))))
                .thenComposeAsync(
                        found -> found.isPresent()
                                ? CompletableFuture.completedFuture(null)
                                : call(file.isKept(client()))
                                        .thenAcceptAsync(kept -> removeIf(kept, file, path), files()),
                        files());
    }

    private void removeIf(boolean kept, RemotePath file, Path path) {
        if (!kept) {
            throw new CompletionException(
                    new CloudMwException(ErrorCode.NOT_FOUND, file + ": the snapshot was removed"));
        }
        remove(path);
    }

    private void remove(Path path) {
        counters().deletes(NameStyle.shown(path));
        try {
            if (!options().dryRun()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new CompletionException(local(path, "delete", e));
        }
        counters().deleted();
    }

    private void removeIfEmpty(Path directory) throws IOException, InterruptedException {
        settle();
        try {
            if (!options().dryRun()) {
                Files.delete(directory);
            }
        } catch (DirectoryNotEmptyException e) {
            // A wanted file is in it.
        }
    }
}

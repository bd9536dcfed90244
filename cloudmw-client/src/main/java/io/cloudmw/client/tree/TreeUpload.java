package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A copy from this machine to a volume. */
final class TreeUpload extends TreeCopy {
    private final SmallFileBatches<Small> small = new SmallFileBatches<>(this, this::copySmall);

    TreeUpload(CloudMw client, Path from, RemotePath to, TreeOptions options) {
        super(client, from, to, options);
    }

    @Override
    void check() throws IOException {
        if (!Files.isDirectory(here())) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    here() + ": " + (Files.exists(here()) ? "not a directory" : "no such directory"));
        }
    }

    @Override
    void copyAll() throws CloudMwException, InterruptedException {
        copy(here(), there());
        small.submit();
    }

    @Override
    void countAll(SourceCount count) throws IOException {
        Files.walkFileTree(here(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes here) {
                if (here.isRegularFile() && !isPartial(String.valueOf(path.getFileName()))) {
                    count.add(here.size());
                }
                return count.isEnded() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path path, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path path, @Nullable IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void copy(Path directory, RemotePath into) throws CloudMwException, InterruptedException {
        boolean[] isEmpty = {true};
        walk(directory, path -> {
            isEmpty[0] = false;
            copyOne(path, into);
        });
        if (isEmpty[0] && !options().dryRun() && !into.path().equals("/") && Files.isReadable(directory)) {
            submit(into.toString(), () -> call(client().files().createDirectory(into.file(), true)));
        }
    }

    private void copyOne(Path path, RemotePath into) throws CloudMwException, InterruptedException {
        try {
            String name = options().names().inVolume(path);
            BasicFileAttributes here = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (isPartial(String.valueOf(path.getFileName()))) {
                counters().skips(NameStyle.shown(path), "a get's temporary file");
            } else if (here.isDirectory()) {
                copy(path, into.child(name));
            } else if (here.isRegularFile()) {
                RemotePath target = into.child(name);
                if (isSmall(here.size()) && options().put().locks().isEmpty()) {
                    small.add(new Small(path, here, target));
                } else {
                    submit(NameStyle.shown(path), () -> file(path, here, target));
                }
            } else {
                counters().skips(NameStyle.shown(path), here.isSymbolicLink() ? "a symbolic link" : "not a file");
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            failed(NameStyle.shown(path), local(path, "read", e));
        } catch (IllegalArgumentException e) {
            failed(NameStyle.shown(path), e); // no name in a volume
        }
    }

    // ---- small files, many at once

    /** A small file that waits for others. */
    private record Small(Path path, BasicFileAttributes here, RemotePath target) {}

    private CompletableFuture<?> copySmall(List<Small> some) {
        List<FilePath> targets = some.stream().map(file -> file.target().file()).toList();
        return call(client().files().statAll(targets)).thenComposeAsync(there -> putSmall(some, there), files());
    }

    private CompletableFuture<?> putSmall(List<Small> some, List<Optional<EntryStatus>> there) {
        List<Small> differing = new ArrayList<>();
        List<FilePut> puts = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            Small file = some.get(i);
            // Without digests nothing is waited for.
            Optional<String> why = why(file.path(), file.here(), there.get(i)).join();
            if (why.isEmpty()) {
                counters().unchanged(file.here().size());
                continue;
            }
            counters().copies(NameStyle.shown(file.path()), file.here().size(), why.get());
            if (options().dryRun()) {
                counters().copied(file.here().size(), 0);
            } else {
                differing.add(file);
                puts.add(put(file, there.get(i)));
            }
        }
        return each(differing, client().files().putAll(puts), file -> NameStyle.shown(file.path()), (file, receipt) -> {
            counters().progressed(file.here().size());
            counters().copied(file.here().size(), 0);
        });
    }

    /** Puts a file in the place of what was there: another change since is a conflict. */
    private FilePut put(Small file, Optional<EntryStatus> there) {
        VersionId version = VersionId.random();
        Optional<PutCondition> was =
                Optional.of(new PutCondition(there.flatMap(EntryStatus::version).map(FileVersion::id)));
        return new FilePut(
                file.path(),
                file.target().file(),
                version,
                options().put().condition().or(() -> was),
                options().put().attributes(),
                RecordedTime.of(file.here().lastModifiedTime(), version),
                OptionalLong.of(file.here().size()));
    }

    // ---- other files

    private CompletableFuture<?> file(Path path, BasicFileAttributes here, RemotePath target) {
        return orAbsent(entry(call(target.stat(client()))))
                .thenComposeAsync(there -> why(path, here, there), files())
                .thenComposeAsync(why -> copyUnless(path, here, target, why), files());
    }

    /**
     * Copies a file if there is a reason.
     *
     * @param why empty: the file is unchanged
     */
    private CompletableFuture<Void> copyUnless(
            Path path, BasicFileAttributes here, RemotePath target, Optional<String> why) {
        if (why.isEmpty()) {
            counters().unchanged(here.size());
            return CompletableFuture.completedFuture(null);
        }
        counters().copies(NameStyle.shown(path), here.size(), why.get());
        return options().dryRun() ? counted(here.size()) : put(path, here, target);
    }

    private CompletableFuture<Optional<String>> why(Path path, BasicFileAttributes here, Optional<EntryStatus> there) {
        return there.isEmpty()
                ? CompletableFuture.completedFuture(Optional.of("not there"))
                : difference(path, here, there.get());
    }

    private CompletableFuture<Void> counted(long bytes) {
        counters().copied(bytes, 0);
        return CompletableFuture.completedFuture(null);
    }

    /** Records the file's time from before it is read: if the file changes meanwhile the put fails. */
    private CompletableFuture<Void> put(Path path, BasicFileAttributes here, RemotePath target) {
        return call(client().files().put(path, target.file(), options().put().withListener(progress(target))))
                .thenCompose(receipt -> call(client().files()
                                .setAttributes(
                                        target.file(),
                                        RecordedTime.of(
                                                here.lastModifiedTime(),
                                                receipt.version().id()),
                                        Set.of()))
                        .thenAccept(all -> counters().copied(receipt.version().sizeBytes(), receipt.resumedBytes())));
    }

    // ---- what is only there

    /** Deletes files that the source lacks. After a dry run the directory may be missing. */
    @Override
    void deleteOthers() throws CloudMwException, InterruptedException {
        if (Calls.find(there().list(client(), ""), ErrorCode.NOT_FOUND).isPresent()) {
            delete(there(), here());
            settle();
            if (!options().dryRun() && !counters().hasFailures()) {
                deleteDirectories(there(), here());
            }
        }
    }

    /** Deletes the empty directories that the source lacks; those below come first. */
    private void deleteDirectories(RemotePath directory, Path here) throws CloudMwException, InterruptedException {
        walk(directory, entry -> {
            RemotePath there = directory.child(entry);
            if (entry.version().isEmpty()) {
                deleteDirectory(there, here);
            }
        });
    }

    private void deleteDirectory(RemotePath there, Path here) throws CloudMwException, InterruptedException {
        try {
            Path path = options().names().onThisMachine(here, there.name());
            deleteDirectories(there, path);
            if (isAbsent(path)) {
                removeIfEmpty(there);
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            failed(there.toString(), e instanceof IOException io ? local(here, "look into", io) : e);
        }
    }

    private void delete(RemotePath directory, Path here) throws CloudMwException, InterruptedException {
        walk(directory, entry -> deleteOne(directory, entry, here));
    }

    private void deleteOne(RemotePath directory, FileEntry entry, Path here)
            throws CloudMwException, InterruptedException {
        RemotePath there = directory.child(entry);
        try {
            Path path = options().names().onThisMachine(here, there.name());
            if (entry.version().isEmpty()) {
                delete(there, path);
            } else if (isAbsent(path)) {
                submit(there.toString(), () -> remove(there));
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            // Its local counterpart cannot be examined, so it stays.
            failed(there.toString(), e instanceof IOException io ? local(here, "look into", io) : e);
        }
    }

    /**
     * Returns whether the path does not exist.
     *
     * @throws IOException when the path cannot be examined, and so may exist
     */
    private static boolean isAbsent(Path path) throws IOException {
        try {
            BasicFileAttributes unused =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return false;
        } catch (NoSuchFileException e) {
            return true;
        }
    }
}

package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** From this machine into a volume. */
final class TreeUpload extends TreeCopy {
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
    }

    private void copy(Path directory, RemotePath into) throws CloudMwException, InterruptedException {
        walk(directory, path -> copyOne(path, into));
    }

    private void copyOne(Path path, RemotePath into) throws CloudMwException, InterruptedException {
        String name = String.valueOf(path.getFileName());
        try {
            requireText(path, name);
            BasicFileAttributes here = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (isPartial(name)) {
                ledger().skips(path.toString(), "part of a file, left by a get");
            } else if (here.isDirectory()) {
                copy(path, into.child(name));
            } else if (here.isRegularFile()) {
                RemotePath target = into.child(name);
                submit(path.toString(), () -> file(path, here, target));
            } else {
                ledger().skips(path.toString(), here.isSymbolicLink() ? "a symbolic link" : "not a file");
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            failed(path.toString(), local(path, "read", e));
        } catch (IllegalArgumentException e) {
            failed(path.toString(), e); // no name for a volume
        }
    }

    /** A name whose bytes are no text would come back as another one. */
    private static void requireText(Path path, String name) {
        if (!path.equals(path.resolveSibling(name))) {
            throw new IllegalArgumentException(path + ": its name is not text in this machine's encoding (expected: "
                    + Charset.defaultCharset() + ")");
        }
    }

    private CompletableFuture<?> file(Path path, BasicFileAttributes here, RemotePath target) {
        return orAbsent(call(target.stat(client())))
                .thenComposeAsync(there -> why(path, here, there), files())
                .thenComposeAsync(why -> copyUnless(path, here, target, why), files());
    }

    /**
     * Copies it, if there is a reason.
     *
     * @param why empty: it is there already
     */
    private CompletableFuture<Void> copyUnless(
            Path path, BasicFileAttributes here, RemotePath target, Optional<String> why) {
        if (why.isEmpty()) {
            ledger().unchanged();
            return CompletableFuture.completedFuture(null);
        }
        ledger().copies(path.toString(), here.size(), why.get());
        return options().dryRun() ? counted(here.size()) : put(path, here, target);
    }

    private CompletableFuture<Optional<String>> why(Path path, BasicFileAttributes here, Optional<FileStatus> there) {
        return there.isEmpty()
                ? CompletableFuture.completedFuture(Optional.of("not there"))
                : difference(path, here, there.get());
    }

    private CompletableFuture<Void> counted(long bytes) {
        ledger().copied(bytes, 0);
        return CompletableFuture.completedFuture(null);
    }

    /** The time is that of before it was read: if it is changed meanwhile the put fails. */
    private CompletableFuture<Void> put(Path path, BasicFileAttributes here, RemotePath target) {
        return call(client().put(path, target.file(), options().put().withListener(progress(target))))
                .thenCompose(receipt -> call(client().setAttributes(
                                        target.file(),
                                        RecordedTime.of(
                                                here.lastModifiedTime(),
                                                receipt.version().id()),
                                        Set.of()))
                        .thenAccept(all -> ledger().copied(receipt.version().sizeBytes(), receipt.resumedBytes())));
    }

    // ---- what is only there

    /** Where a dry run copied nothing the directory may be missing: then there is nothing in it to delete either. */
    @Override
    void deleteOthers() throws CloudMwException, InterruptedException {
        if (Calls.find(there().list(client(), ""), ErrorCode.NOT_FOUND).isPresent()) {
            delete(there(), here());
        }
    }

    private void delete(RemotePath directory, Path here) throws CloudMwException, InterruptedException {
        walk(directory, entry -> deleteOne(directory, entry, here));
    }

    private void deleteOne(RemotePath directory, FileEntry entry, Path here)
            throws CloudMwException, InterruptedException {
        try {
            RemotePath there = directory.child(entry);
            Path path = here.resolve(there.name());
            if (entry.version().isEmpty()) {
                delete(there, path);
            } else if (isAbsent(path)) {
                submit(there.toString(), () -> remove(there));
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            // Whether it is there cannot be said, so it stays.
            failed(entry.name(), e instanceof IOException io ? local(here, "look into", io) : e);
        }
    }

    /** Only if the system says so: what cannot be looked at is not absent. */
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

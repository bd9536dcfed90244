package io.cloudmw.client.sink;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.store.LockFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary file of a get, under a name that the next get of the same target finds if this one is interrupted. A
 * lock keeps it to one get at a time; bytes that other processes wrote into it are verified before use.
 *
 * The file is moved to its target before it is closed: without the lock, another get may open it.
 */
final class PartialFile implements Closeable {
    private static final Logger log = LoggerFactory.getLogger(PartialFile.class);

    private static final int NAME_BYTES = 8;

    private final Path path;
    private final FileChannel channel;
    private final LockFile lock;
    private final long keptBytes;

    private PartialFile(Path path, FileChannel channel, LockFile lock, long keptBytes) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
        this.keptBytes = keptBytes;
    }

    /** A name whose length does not depend on the target's. */
    static Path name(Path target) {
        byte[] digest =
                Sha256.begin().digest(String.valueOf(target.getFileName()).getBytes(StandardCharsets.UTF_8));
        return target.resolveSibling(".cloudmw-" + HexFormat.of().formatHex(digest, 0, NAME_BYTES) + ".part");
    }

    /**
     * The file that an interrupted get of this target left, if it is like a fresh file (owner, group, permissions);
     * otherwise the fresh one, under that name.
     *
     * @param fresh a new file beside the target, with the right permissions
     * @param channel to the fresh file; closed, and the file deleted, if the other is returned
     * @return empty: another get has the file, or this file system lacks what it needs
     */
    static Optional<PartialFile> of(Path target, Path fresh, FileChannel channel) {
        Path path = name(target);
        try {
            if (isUsable(path)) {
                Optional<LockFile> lock = LockFile.tryLock(path);
                if (lock.isEmpty()) {
                    return Optional.empty();
                }
                PartialFile left = left(path, fresh, lock.get());
                if (left != null) {
                    channel.close();
                    Files.delete(fresh);
                    return Optional.of(left);
                }
            }
            return named(path, fresh, channel);
        } catch (IOException | UnsupportedOperationException e) {
            log.debug("{} will not be resumed", target, e);
            return Optional.empty();
        }
    }

    /**
     * Returns whether a regular file has this name. Deletes anything else except a directory, and does so without
     * opening it: a link may lead anywhere, and opening a pipe blocks.
     *
     * @throws IOException when the path is a directory, or belongs to another user
     */
    private static boolean isUsable(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(path.toString(), null, "is a directory");
        }
        boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
        if (!file) {
            Files.deleteIfExists(path);
        }
        return file;
    }

    /** Null: the file is not one that a get leaves, and is deleted. */
    private static @Nullable PartialFile left(Path path, Path fresh, LockFile lock) throws IOException {
        boolean taken = false;
        try {
            if (!isLike(fresh, path)) {
                Files.delete(path);
                return null;
            }
            FileChannel channel = FileChannel.open(
                    path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
            taken = true;
            return new PartialFile(path, channel, lock, channel.size());
        } finally {
            if (!taken) {
                lock.close();
            }
        }
    }

    /** Returns whether the file belongs to this user, and no more users may write it than the fresh one. */
    private static boolean isLike(Path fresh, Path path) throws IOException {
        PosixFileAttributes wanted = Files.readAttributes(fresh, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return found.isRegularFile()
                && found.owner().equals(wanted.owner())
                && found.group().equals(wanted.group())
                && found.permissions().equals(wanted.permissions())
                && Integer.valueOf(1).equals(Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS));
    }

    /** Locks the file before any other get can find it. A link, unlike a move, never replaces another user's file. */
    private static Optional<PartialFile> named(Path path, Path fresh, FileChannel channel) throws IOException {
        Optional<LockFile> lock = LockFile.tryLock(fresh);
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        boolean named = false;
        try {
            Files.createLink(path, fresh);
            Files.delete(fresh);
            named = true;
        } finally {
            if (!named) {
                lock.get().close();
            }
        }
        return Optional.of(new PartialFile(path, channel, lock.get(), 0));
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    /** The bytes that it had when this get began. */
    long keptBytes() {
        return keptBytes;
    }

    /** Closes the file, which stays where it is. Idempotent. */
    @Override
    public void close() throws IOException {
        try (lock) {
            channel.close();
        }
    }
}

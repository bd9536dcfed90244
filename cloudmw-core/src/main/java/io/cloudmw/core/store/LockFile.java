package io.cloudmw.core.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file whose lock shows that a directory is in use. The system drops the lock with the process, however that ends. Safe
 * for any thread.
 */
public final class LockFile implements Closeable {
    /**
     * What this process holds, by the file it is on. A lock is the process's, not the channel's: closing any channel to the
     * file drops it (POSIX), so that none is opened to a file that is locked here. The locks themselves are kept, so that
     * one nobody closes stays locked: collected, its channel would be closed, and the file's number be free for another
     * file, that would be taken for it.
     */
    private static final Map<Object, Optional<LockFile>> HELD = new ConcurrentHashMap<>();

    private final Object key;
    private final FileChannel channel;
    private final AtomicBoolean open = new AtomicBoolean(true);

    private LockFile(Object key, FileChannel channel) {
        this.key = key;
        this.channel = channel;
    }

    /**
     * Locks a file, made if it is not there.
     *
     * @return holds the lock until it is closed, by the caller; empty when another process holds it, or this one does
     */
    public static Optional<LockFile> tryLock(Path file) throws IOException {
        createIfAbsent(file);
        Object key = key(file);
        if (HELD.putIfAbsent(key, Optional.empty()) != null) {
            return Optional.empty();
        }
        Optional<LockFile> lock = Optional.empty();
        try {
            lock = lock(file, key);
            return lock;
        } finally {
            if (lock.isPresent()) {
                HELD.put(key, lock);
            } else {
                HELD.remove(key);
            }
        }
    }

    /** Without ever opening one that is there. */
    private static void createIfAbsent(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // As usual.
        }
    }

    private static Optional<LockFile> lock(Path file, Object key) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            // Not when who had it has just removed the file, or put another in its place: nobody else would see this
            // lock.
            locked = channel.tryLock() != null && isStill(file, key);
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? Optional.of(new LockFile(key, channel)) : Optional.empty();
    }

    private static boolean isStill(Path file, Object key) throws IOException {
        try {
            return key(file).equals(key);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** The file itself, whatever path leads to it. */
    private static Object key(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key != null ? key : file.toRealPath();
    }

    /** Gives the lock back. Idempotent. */
    @Override
    public void close() throws IOException {
        if (open.getAndSet(false)) {
            try {
                channel.close();
            } finally {
                HELD.remove(key);
            }
        }
    }
}

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
 * A file whose lock shows that a directory is in use. The system drops the lock with the process, however the process
 * ends. Safe for any thread.
 */
public final class LockFile implements Closeable {
    /**
     * The locks that this process holds, by file. A lock is the process's, not the channel's: closing any channel to
     * the file drops it (POSIX). So this process opens no other channel to a file that it has locked. The map keeps
     * each lock, so that one that is never closed stays locked. Otherwise the collector would close its channel, and
     * another file with the same number would be taken for it.
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
     * Locks a file, and creates it when it does not exist.
     *
     * @return holds the lock until the caller closes it; empty when a process, this one included, holds it
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

    /** Creates the file without ever opening an existing one. */
    private static void createIfAbsent(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // The file exists, as usual.
        }
    }

    private static Optional<LockFile> lock(Path file, Object key) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            // Fails when the former holder has just removed or replaced the file: no other process would see this
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

    /** The identity of the file, whatever path leads to it. */
    private static Object key(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key != null ? key : file.toRealPath();
    }

    /** Releases the lock. Idempotent. */
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

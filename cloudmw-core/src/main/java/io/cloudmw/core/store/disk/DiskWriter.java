package io.cloudmw.core.store.disk;

import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkSourceReader;
import io.cloudmw.core.store.LockFile;
import io.cloudmw.core.store.PutOutcome;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The writing half of a disk store. It exists in one process at a time, which holds the directory's lock. */
final class DiskWriter {
    private final StoreId id;
    private final DiskLayout layout;
    private final long reserveBytes;
    private final FreeSpace freeSpace;
    private final LockFile lock;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong promised = new AtomicLong();
    private final AtomicLong sequence = new AtomicLong();
    /** Guards which of two writers of the same chunk was first, and the counts that change with it. */
    private final Object names = new Object();

    private final DiskIdentity identity;

    private DiskWriter(
            StoreId id,
            DiskLayout layout,
            long reserveBytes,
            FreeSpace freeSpace,
            LockFile lock,
            DiskIdentity identity) {
        this.id = id;
        this.layout = layout;
        this.reserveBytes = reserveBytes;
        this.freeSpace = freeSpace;
        this.lock = lock;
        this.identity = identity;
    }

    static DiskWriter open(StoreId id, DiskLayout layout, long reserveBytes, FreeSpace freeSpace)
            throws CloudMwException {
        if (reserveBytes < 0) {
            throw new IllegalArgumentException("reserveBytes: " + reserveBytes + " (expected: >= 0)");
        }
        LockFile lock = null;
        try {
            if (Files.exists(layout.identity())) {
                layout.checkIdentity(id);
            }
            Files.createDirectories(layout.chunks());
            Files.createDirectories(layout.incoming());
            lock = lock(id, layout);
            removeLeftovers(layout);
            DiskIdentity identity = DiskIdentity.open(id, layout);
            DiskWriter writer = new DiskWriter(id, layout, reserveBytes, freeSpace, lock, identity);
            writer.countUsed();
            lock = null;
            return writer;
        } catch (IOException e) {
            throw DiskErrors.translate(id, layout.root().toString(), e);
        } finally {
            if (lock != null) {
                release(lock);
            }
        }
    }

    DiskIdentity identity() {
        return identity;
    }

    PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        identity.requireAccepted("chunk=" + chunk);
        Path target = layout.chunk(chunk);
        if (Files.exists(target)) {
            return alreadyThere(chunk);
        }
        long length = source.length();
        promised.addAndGet(length);
        Path temporary = layout.incoming().resolve(chunk + "." + sequence.incrementAndGet());
        try {
            checkRoom(chunk, length);
            write(temporary, chunk, source);
            return publish(temporary, target, length);
        } catch (IOException e) {
            throw DiskErrors.translate(id, "chunk=" + chunk, e);
        } finally {
            promised.addAndGet(-length);
            removeQuietly(temporary);
        }
    }

    private PutOutcome alreadyThere(ChunkId chunk) throws CloudMwException {
        try {
            DiskLayout.sync(layout.shard(chunk));
            return PutOutcome.EXISTED;
        } catch (IOException e) {
            throw DiskErrors.translate(id, "chunk=" + chunk, e);
        }
    }

    boolean delete(ChunkId chunk) throws CloudMwException {
        Path file = layout.chunk(chunk);
        try {
            synchronized (names) {
                long length = Files.size(file);
                Files.delete(file);
                used.addAndGet(-length);
            }
            DiskLayout.sync(layout.shard(chunk));
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw DiskErrors.translate(id, "chunk=" + chunk, e);
        }
    }

    long usedBytes() {
        return used.get();
    }

    long freeBytes() throws CloudMwException {
        try {
            return Math.max(0, freeSpace.usableBytes(layout.root()) - reserveBytes - promised.get());
        } catch (IOException e) {
            throw DiskErrors.translate(id, layout.root().toString(), e);
        }
    }

    long reserveBytes() {
        return reserveBytes;
    }

    void close() {
        release(lock);
    }

    /**
     * Checks the room for a put. This put's bytes are reserved before, so that concurrent puts cannot share the same
     * room.
     */
    private void checkRoom(ChunkId chunk, long length) throws IOException {
        long usable = freeSpace.usableBytes(layout.root());
        if (usable - promised.get() < reserveBytes) {
            throw new CloudMwException(
                    ErrorCode.STORE_FULL,
                    "chunk=" + chunk + " store=" + id + ": needs " + Sizes.approximate(length) + ", "
                            + Sizes.approximate(Math.max(0, usable - promised.get() + length - reserveBytes))
                            + " free besides the reserve of " + Sizes.approximate(reserveBytes) + " in "
                            + layout.root());
        }
    }

    private static void write(Path temporary, ChunkId chunk, ChunkSource source) throws IOException {
        try (FileChannel out = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ChunkSourceReader.<IOException>copy(chunk, source, bytes -> {
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
            });
            out.force(true);
        }
    }

    private PutOutcome publish(Path temporary, Path target, long length) throws IOException {
        Path shard = target.getParent();
        if (shard == null) {
            throw new IllegalStateException(target + " has no directory");
        }
        PutOutcome outcome = PutOutcome.EXISTED;
        synchronized (names) {
            if (!Files.isDirectory(shard)) {
                Files.createDirectories(shard);
                DiskLayout.sync(layout.chunks());
            }
            if (!Files.exists(target)) {
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
                used.addAndGet(length);
                outcome = PutOutcome.WRITTEN;
            }
        }
        // Also for the second writer: its success, too, must survive a crash.
        DiskLayout.sync(shard);
        return outcome;
    }

    private static void removeLeftovers(DiskLayout layout) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(layout.incoming())) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    private void countUsed() throws IOException {
        try (Stream<Path> files = Files.walk(layout.chunks(), 2)) {
            used.set(files.map(Path::toFile)
                    .filter(file -> file.isFile())
                    .mapToLong(file -> file.length())
                    .sum());
        }
    }

    private static LockFile lock(StoreId id, DiskLayout layout) throws IOException {
        return LockFile.tryLock(layout.lock())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        "store=" + id + ": " + layout.root() + " is open in another process or twice in this one"));
    }

    private static void release(LockFile lock) {
        try {
            lock.close();
        } catch (IOException e) {
            // The operating system drops the lock with the process, at the latest.
        }
    }

    private static void removeQuietly(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // Removed at the next opening of the store.
        }
    }
}

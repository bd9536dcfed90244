package io.cloudmw.core.cache.disk;

import io.cloudmw.core.cache.EvictingCache;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LockFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of leaves on a disk, up to a number of bytes. Each leaf has a file of its own, which survives a restart.
 *
 * <ol>
 *   <li>Files are not forced to the disk. A reader verifies each leaf, and so finds a file that a crash has damaged.
 *   <li>Leaves that this process wrote or verified are known to be good, and may be sent from their files.
 *   <li>A leaf is written to a temporary file and renamed, so that a file is whole or missing. An open file outlives
 *       its eviction.
 * </ol>
 *
 * Safe for any thread; blocks on the disk.
 *
 * <pre>
 * lock                     locked by the process that has it
 * leaves/ab/ab...          leaves, by the first two digits of their chunk's name
 * incoming/                leaves being written; removed when it is opened
 * </pre>
 */
public final class DiskCache implements AutoCloseable {
    /** The store that messages name for failures of this cache. */
    public static final StoreId ID = new StoreId("cache");

    private static final Logger LOG = LoggerFactory.getLogger(DiskCache.class);
    /** The usual block size of file systems. */
    private static final int FILE_BLOCK_BYTES = 4096;

    /** Leaves sent from their files at once: 512 MiB at the usual size. Further leaves are read. */
    private static final int OPEN_FILES = 2048;

    /** Concurrent writes. The page cache takes writes at once; more than this wait only when the disk is slow. */
    private static final int WRITERS = 4;

    /** Longest wait for a write, since readers wait for the writing thread. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Path leaves;
    private final Path incoming;
    private final LockFile lock;
    private final EvictingCache<LeafKey, Kept> index;
    private final CacheMetrics meters;
    private final AtomicLong sequence = new AtomicLong();
    /** Evicted leaves. The next put deletes their files, so that a lookup never blocks. */
    private final Queue<LeafKey> leaving = new ConcurrentLinkedQueue<>();
    /** Guards the renaming and deletion of files together with the index. */
    private final Object files = new Object();

    private final Semaphore openFiles;
    private final Semaphore writers = new Semaphore(WRITERS);
    private final long patienceNanos;
    /** True when a write has timed out since the last successful one. */
    private volatile boolean stuck;

    /** The bytes of a leaf to be cached. */
    @FunctionalInterface
    public interface Content {
        /** Writes the bytes to an empty file. */
        void copyTo(FileChannel file) throws IOException;
    }

    /** The state of a leaf. */
    private static final class Kept {
        private static final long UNVERIFIED = -1;

        final int length;
        /** CRC32C of the verified bytes, as an unsigned number. */
        private volatile long verifiedCrc32c = UNVERIFIED;

        Kept(int length) {
            this.length = length;
        }

        /** Notes that this process has written or verified the bytes. */
        Kept verified(int crc32c) {
            verifiedCrc32c = Integer.toUnsignedLong(crc32c);
            return this;
        }

        boolean isVerifiedAs(int expectedLength, int crc32c) {
            return length == expectedLength && verifiedCrc32c == Integer.toUnsignedLong(crc32c);
        }
    }

    private DiskCache(
            Path directory, LockFile lock, long limitBytes, int openFiles, Duration patience, CacheMetrics meters) {
        this.patienceNanos = patience.toNanos();
        this.leaves = directory.resolve("leaves");
        this.incoming = directory.resolve("incoming");
        this.lock = lock;
        this.openFiles = new Semaphore(openFiles);
        this.meters = meters;
        this.index = new EvictingCache<>(
                limitBytes,
                kept -> roomBytes(kept.length),
                (key, length) -> leaving.add(key),
                () -> meters.evicted(Tier.DISK));
    }

    /**
     * Opens a directory with the leaves of earlier processes; creates it when it is missing.
     *
     * @param limitBytes limit of all leaves
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has locked the directory
     * @throws IOException when the directory cannot be created or read
     */
    public static DiskCache open(Path directory, long limitBytes, CacheMetrics meters) throws IOException {
        return open(directory, limitBytes, OPEN_FILES, PATIENCE, meters);
    }

    /**
     * Opens a directory, with other limits.
     *
     * @param openFiles leaves that may be sent from their files at once
     * @param patience longest wait for a write
     */
    public static DiskCache open(Path directory, long limitBytes, int openFiles, Duration patience, CacheMetrics meters)
            throws IOException {
        Files.createDirectories(directory);
        LockFile lock = LockFile.tryLock(directory.resolve("lock"))
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "cache " + directory
                                + ": locked by another process (expected: another helper.cache.disk.dir)"));
        boolean opened = false;
        try {
            DiskCache cache = new DiskCache(directory, lock, limitBytes, openFiles, patience, meters);
            cache.prepare();
            opened = true;
            return cache;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static int roomBytes(int length) {
        return (length + FILE_BLOCK_BYTES - 1) / FILE_BLOCK_BYTES * FILE_BLOCK_BYTES;
    }

    private void prepare() throws IOException {
        Files.createDirectories(incoming);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming)) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
        List<Found> found = new ArrayList<>();
        for (int shard = 0; shard < 256; shard++) {
            Path directory = Files.createDirectories(leaves.resolve(String.format("%02x", shard)));
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    index(file, found);
                }
            }
        }
        // Leaves written last are evicted last.
        found.sort(Comparator.comparingLong(Found::writtenMillis));
        found.forEach(leaf -> index.put(leaf.key(), new Kept(leaf.length())));
        removeLeaving();
    }

    private record Found(LeafKey key, int length, long writtenMillis) {}

    private static void index(Path file, List<Found> found) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        String name = String.valueOf(file.getFileName());
        try {
            int dot = name.lastIndexOf('.');
            LeafKey key = new LeafKey(ChunkId.parse(name.substring(0, dot)), Integer.parseInt(name.substring(dot + 1)));
            found.add(new Found(
                    key,
                    Math.toIntExact(attributes.size()),
                    attributes.lastModifiedTime().toMillis()));
        } catch (RuntimeException e) {
            LOG.warn("cache: {} is not a leaf; deleting it", file);
            Files.deleteIfExists(file);
        }
    }

    /** Returns whether the cache has a leaf, and counts the request for the eviction policy. Does not block. */
    public boolean has(LeafKey key) {
        return index.get(key).isPresent();
    }

    /** Returns whether the cache has a leaf. Does not block. */
    public boolean keeps(LeafKey key) {
        return index.contains(key);
    }

    /**
     * Writes a copy of a leaf. A failure is logged, and the leaf is dropped. A leaf is dropped, too, when the disk is
     * slow, since the caller has readers to serve.
     */
    public void put(LeafKey key, int length, int crc32c, Content content) {
        if (index.contains(key) || !mayWrite()) {
            return;
        }
        try {
            write(key, new Kept(length).verified(crc32c), content);
            stuck = false;
        } finally {
            writers.release();
        }
    }

    private boolean mayWrite() {
        boolean may = writers.tryAcquire() || (!stuck && waitToWrite());
        if (!may && !stuck) {
            stuck = true;
            LOG.warn("cache: {} is too slow: no leaf is written until a write succeeds", leaves);
        }
        return may;
    }

    private boolean waitToWrite() {
        try {
            return writers.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The permits of concurrent writes. */
    public Semaphore writers() {
        return writers;
    }

    private void write(LeafKey key, Kept leaf, Content content) {
        Path temporary = incoming.resolve(Long.toString(sequence.incrementAndGet()));
        try {
            try (FileChannel file =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                content.copyTo(file);
            }
            synchronized (files) {
                Files.move(temporary, file(key), StandardCopyOption.ATOMIC_MOVE);
                index.put(key, leaf);
            }
            removeLeaving();
        } catch (IOException e) {
            LOG.warn("cache: cannot write leaf {}: {}", key, Reasons.of(e));
            remove(temporary);
        }
    }

    /** A reader of leaves, whose caller verifies them. */
    public ChunkReader read(ChunkId chunk, ByteRange range, int leafSizeBytes) {
        return new DiskCacheReader(this, chunk, range, leafSizeBytes);
    }

    /** The files of some leaves; empty when this process has not verified all of them, or too many files are open. */
    public Optional<DiskCacheFiles> files(LeafRange wanted) {
        return DiskCacheFiles.of(this, wanted);
    }

    /** Drops a damaged leaf and deletes its file; blocks on the disk. */
    public void damaged(LeafKey key) {
        meters.damaged();
        forget(key);
        removeLeaving();
    }

    /** Drops a leaf. Its file is deleted later; after a restart the first reader verifies it again. */
    public void forget(LeafKey key) {
        index.get(key).ifPresent(kept -> index.remove(key, kept));
    }

    /** Notes that a leaf was read from here and verified. */
    public void verified(LeafKey key, int length, int crc32c) {
        index.get(key).filter(kept -> kept.length == length).ifPresent(kept -> kept.verified(crc32c));
    }

    /** Returns whether this process wrote or verified a leaf with this length and CRC32C. */
    boolean isVerified(LeafKey key, int length, int crc32c) {
        return index.get(key).filter(kept -> kept.isVerifiedAs(length, crc32c)).isPresent();
    }

    /** The permits of files from which leaves are sent. */
    Semaphore openFiles() {
        return openFiles;
    }

    /** Bytes of all leaves, in whole blocks of the file system. */
    public long bytes() {
        return index.bytes();
    }

    /** Limit of all leaves in bytes. */
    public long limitBytes() {
        return index.limitBytes();
    }

    /** The path of a leaf's file. */
    public Path file(LeafKey key) {
        String chunk = key.chunk().toString();
        return leaves.resolve(chunk.substring(0, 2)).resolve(chunk + "." + key.leaf());
    }

    private void removeLeaving() {
        for (LeafKey key = leaving.poll(); key != null; key = leaving.poll()) {
            synchronized (files) {
                if (!index.contains(key)) {
                    remove(file(key));
                }
            }
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cache: cannot delete {}: {}", file, Reasons.of(e));
        }
    }

    /** Unlocks the directory; the leaves stay. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("cache: cannot unlock the directory; the lock ends with the process", e);
        }
    }
}

package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.ByteBoundedCache;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.store.LockFile;
import io.cloudmw.helper.block.Leaf;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves on a disk, up to a number of bytes, each a file of its own. They are still there after a restart. Nothing is forced
 * to the disk: what a crash left of a file is found by whoever reads it, who knows what must be in it. What this process wrote, or
 * has read and found right, it remembers: such a leaf may be sent from its file. A leaf is written
 * beside and renamed, so that a process that dies leaves it whole or not at all, and who has its file open goes on with that when it is
 * forgotten. Safe for any thread; blocks on the disk.
 *
 * <pre>
 * lock                     locked by the process that has it
 * leaves/ab/ab...          leaves, by the first two digits of their chunk's name
 * incoming/                leaves being written; removed when it is opened
 * </pre>
 */
public final class DiskTier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskTier.class);
    /** What file systems usually give a file room by. */
    private static final int FILE_BLOCK_BYTES = 4096;

    private static final int CHUNK_CHARS = 41;

    /** Leaves that are sent from their files at a time: 512 MiB of the usual size. Beyond that they are read. */
    private static final int OPEN_FILES = 2048;

    /** Leaves that are written at a time. The kernel takes them at once: more wait where the disk holds writers up. */
    private static final int WRITERS = 4;

    /** How long somebody waits to write, who has readers to serve. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Path leaves;
    private final Path incoming;
    private final LockFile lock;
    private final ByteBoundedCache<LeafKey, Kept> index;
    private final CacheMetrics meters;
    private final AtomicLong sequence = new AtomicLong();
    /** No longer kept; their files go when a leaf is put the next time, never in the hands of who only asks. */
    private final Queue<LeafKey> leaving = new ConcurrentLinkedQueue<>();
    /** Held while a file comes or goes: what it is and what the index says of it are one. */
    private final Object files = new Object();

    private final Semaphore openFiles;
    private final Semaphore writers = new Semaphore(WRITERS);
    private final long patienceNanos;
    /** Somebody has waited in vain to write since a leaf was written last. */
    private volatile boolean stuck;

    /** What is known of a leaf. */
    private static final class Kept {
        private static final long UNSEEN = -1;

        final int length;
        /** Unsigned. */
        private volatile long seenCrc32c = UNSEEN;

        Kept(int length) {
            this.length = length;
        }

        /** This process has had its bytes before its eyes. */
        Kept seen(int crc32c) {
            seenCrc32c = Integer.toUnsignedLong(crc32c);
            return this;
        }

        boolean isSeenAs(int expectedLength, int crc32c) {
            return length == expectedLength && seenCrc32c == Integer.toUnsignedLong(crc32c);
        }
    }

    private DiskTier(
            Path directory, LockFile lock, long limitBytes, int openFiles, Duration patience, CacheMetrics meters) {
        this.patienceNanos = patience.toNanos();
        this.leaves = directory.resolve("leaves");
        this.incoming = directory.resolve("incoming");
        this.lock = lock;
        this.openFiles = new Semaphore(openFiles);
        this.meters = meters;
        this.index = new ByteBoundedCache<>(
                limitBytes,
                kept -> roomBytes(kept.length),
                (key, length) -> leaving.add(key),
                () -> meters.evicted(Tier.DISK));
    }

    /**
     * Opens a directory, made if it is not there, and looks what an earlier process left in it.
     *
     * @param limitBytes of all leaves together
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has it
     * @throws IOException when it cannot be made or read
     */
    public static DiskTier open(Path directory, long limitBytes, CacheMetrics meters) throws IOException {
        return open(directory, limitBytes, OPEN_FILES, PATIENCE, meters);
    }

    /**
     * The same.
     *
     * @param openFiles leaves that may be sent from their files at a time
     * @param patience how long somebody waits to write
     */
    public static DiskTier open(Path directory, long limitBytes, int openFiles, Duration patience, CacheMetrics meters)
            throws IOException {
        Files.createDirectories(directory);
        LockFile lock = LockFile.tryLock(directory.resolve("lock"))
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "cache " + directory + ": in use: by another process with the same helper.cache.disk.dir"));
        boolean opened = false;
        try {
            DiskTier tier = new DiskTier(directory, lock, limitBytes, openFiles, patience, meters);
            tier.prepare();
            opened = true;
            return tier;
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
                    look(file, found);
                }
            }
        }
        // Those written last are the last that would have to go.
        found.sort(Comparator.comparingLong(Found::writtenMillis));
        found.forEach(leaf -> index.put(leaf.key(), new Kept(leaf.length())));
        removeLeaving();
    }

    private record Found(LeafKey key, int length, long writtenMillis) {}

    private static void look(Path file, List<Found> found) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        String name = String.valueOf(file.getFileName());
        try {
            LeafKey key = new LeafKey(
                    ChunkId.parse(name.substring(0, CHUNK_CHARS)), Integer.parseInt(name.substring(CHUNK_CHARS + 1)));
            found.add(new Found(
                    key,
                    Math.toIntExact(attributes.size()),
                    attributes.lastModifiedTime().toMillis()));
        } catch (RuntimeException e) {
            LOG.warn("cache: {} is no leaf, and is removed", file);
            Files.deleteIfExists(file);
        }
    }

    /** Whether it keeps this leaf, and a note that it was asked for. Does not block. */
    public boolean has(LeafKey key) {
        return index.get(key).isPresent();
    }

    /** Whether it keeps this leaf. Does not block. */
    public boolean keeps(LeafKey key) {
        return index.contains(key);
    }

    /**
     * Keeps a copy of a leaf, if only for a moment. What goes wrong is logged, and the leaf is not kept; nor is it where the disk
     * holds up those who write: who brings it has readers to serve, and nobody needs a cache.
     */
    public void put(LeafKey key, Leaf leaf) {
        if (index.contains(key) || !mayWrite()) {
            return;
        }
        try {
            write(key, leaf);
            stuck = false;
        } finally {
            writers.release();
        }
    }

    private boolean mayWrite() {
        boolean may = writers.tryAcquire() || (!stuck && waitToWrite());
        if (!may && !stuck) {
            stuck = true;
            LOG.warn("cache: {} does not take what is to be kept; nothing is until it does", leaves);
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

    /** Those that may write now. */
    public Semaphore writers() {
        return writers;
    }

    private void write(LeafKey key, Leaf leaf) {
        Path temporary = incoming.resolve(Long.toString(sequence.incrementAndGet()));
        try {
            try (FileChannel file =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                leaf.copyTo(file);
            }
            synchronized (files) {
                Files.move(temporary, file(key), StandardCopyOption.ATOMIC_MOVE);
                index.put(key, new Kept(leaf.length()).seen(leaf.crc32c()));
            }
            removeLeaving();
        } catch (IOException e) {
            LOG.warn("cache: leaf {} is not kept on the disk: {}", key, Reasons.of(e));
            remove(temporary);
        }
    }

    /** Forgets a leaf that cannot be read as it was written; blocks on the disk. */
    public void damaged(LeafKey key) {
        meters.damaged();
        forget(key);
        removeLeaving();
    }

    /** Forgets a leaf. Its file goes later: who comes first after a restart may find it, and sees what is wrong with it. */
    void forget(LeafKey key) {
        index.get(key).ifPresent(kept -> index.remove(key, kept));
    }

    /** A leaf was read from here, and found right: it need not be looked at again. */
    public void seen(LeafKey key, Leaf leaf) {
        index.get(key).filter(kept -> kept.length == leaf.length()).ifPresent(kept -> kept.seen(leaf.crc32c()));
    }

    /** Whether this leaf was written or read by this process, and has this length and CRC32C. */
    boolean isSeen(LeafKey key, int length, int crc32c) {
        return index.get(key).filter(kept -> kept.isSeenAs(length, crc32c)).isPresent();
    }

    /** Of how many files more leaves may be sent; who takes of it gives back. */
    Semaphore openFiles() {
        return openFiles;
    }

    /** Of all leaves, as they take room. */
    public long bytes() {
        return index.bytes();
    }

    /** That all leaves together may take. */
    long limitBytes() {
        return index.limitBytes();
    }

    /** Where the leaf is, or would be. */
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
            LOG.warn("cache: {} stays: {}", file, Reasons.of(e));
        }
    }

    /** Lets another process have the directory; the leaves stay. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("cache: its lock goes with the process", e);
        }
    }
}

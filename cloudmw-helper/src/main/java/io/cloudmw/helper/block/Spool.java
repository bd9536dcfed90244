package io.cloudmw.helper.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LockFile;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share of a directory for temporary files, with a limit in bytes. A single process at a time locks the directory. An
 * open file has no name, so that nothing stays when the process dies; opening the spool removes what an older process
 * left. Safe for any thread.
 */
public final class Spool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
    private static final String SUFFIX = ".spool";
    private static final String LOCK = "lock";

    private final Path directory;
    private final ByteBudget budget;
    private final AtomicLong sequence;
    private final LockFile lock;

    private Spool(Path directory, ByteBudget budget, AtomicLong sequence, LockFile lock) {
        this.directory = directory;
        this.budget = budget;
        this.sequence = sequence;
        this.lock = lock;
    }

    /**
     * Locks a directory and removes old files from it; creates the directory when it is missing.
     *
     * @param budget the budget of all its files
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has locked the directory
     * @throws IOException when the directory cannot be created or read
     */
    public static Spool open(Path directory, ByteBudget budget) throws IOException {
        Files.createDirectories(directory);
        LockFile lock = LockFile.tryLock(directory.resolve(LOCK))
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "spool " + directory + ": locked by another process (expected: another helper.id, or another"
                                + " helper.spool.dir)"));
        boolean opened = false;
        try {
            clean(directory);
            opened = true;
            return new Spool(directory, budget, new AtomicLong(), lock);
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static void clean(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * Another share of the same directory, with a limit of its own. Shares never wait for each other's room. Closing
     * any share closes the directory.
     */
    public Spool share(long limitBytes) {
        return new Spool(directory, new ByteBudget(limitBytes), sequence, lock);
    }

    /** The budget of all files of this share. */
    public ByteBudget budget() {
        return budget;
    }

    /**
     * Creates a file for {@code bytes} bytes; waits at most {@code timeoutNanos} for room.
     *
     * @throws CloudMwException {@code OVERLOADED} when there is no room in time, or the file cannot be created;
     *     {@code CANCELLED} when interrupted
     */
    public SpoolFile create(long bytes, long timeoutNanos) throws CloudMwException {
        try {
            if (!budget.take(bytes, timeoutNanos)) {
                throw CloudMwException.full("spool " + directory + ": no room for " + bytes + " bytes (in use: "
                        + budget.usedBytes() + " of " + budget.limitBytes() + ")");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(
                    ErrorCode.CANCELLED, "spool " + directory + ": interrupted while waiting for room", e);
        }
        return create(bytes);
    }

    /** Unlocks the directory, and removes it when it is empty. Open files stay open; no more can be created. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(directory.resolve(LOCK));
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            LOG.debug("spool {} stays: {}", directory, Reasons.of(e));
        } finally {
            release();
        }
    }

    private void release() {
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("spool {}: cannot unlock; the lock ends with the process", directory, e);
        }
    }

    private SpoolFile create(long bytes) throws CloudMwException {
        Path path = directory.resolve(sequence.incrementAndGet() + SUFFIX);
        boolean made = false;
        try {
            FileChannel channel = UnlinkedFile.open(path);
            made = true;
            return new SpoolFile(channel, bytes, budget);
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, "spool " + directory + ": cannot create a file: " + Reasons.of(e), e);
        } finally {
            if (!made) {
                budget.giveBack(bytes);
            }
        }
    }

    /** A file without a name. Its users coordinate their access to the channel. Closing is idempotent. */
    public static final class SpoolFile implements AutoCloseable {
        private final FileChannel channel;
        private final long bytes;

        @GuardedBy("this")
        private ByteBudget budget;

        @GuardedBy("this")
        private boolean closed;

        private SpoolFile(FileChannel channel, long bytes, ByteBudget budget) {
            this.channel = channel;
            this.bytes = bytes;
            this.budget = budget;
        }

        public FileChannel channel() {
            return channel;
        }

        /**
         * Moves the file's bytes to another budget.
         *
         * @return false when the other budget has no room; nothing changes then
         */
        public synchronized boolean move(ByteBudget other) {
            if (closed || !other.tryTake(bytes)) {
                return false;
            }
            budget.giveBack(bytes);
            budget = other;
            return true;
        }

        /** Returns whether the file's bytes count in this budget. */
        synchronized boolean isOf(ByteBudget other) {
            return budget == other;
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                channel.close();
            } catch (IOException e) {
                LOG.warn("spool: cannot close a file", e);
            } finally {
                budget.giveBack(bytes);
            }
        }
    }
}

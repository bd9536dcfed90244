package io.cloudmw.helper.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LockFile;
import io.cloudmw.core.store.NamelessFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share of a directory for bytes on their way, bounded by a number of bytes. The directory belongs to one process at a
 * time, which locks it. Its files have no name once they are open, so that nothing is left when the process dies; what
 * an older process could not remove is removed when it is opened. Safe for any thread.
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
     * Locks the directory, made if it is not there, and cleans it.
     *
     * @param budget what its files may use together
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process uses it
     * @throws IOException when it cannot be made or read
     */
    public static Spool open(Path directory, ByteBudget budget) throws IOException {
        Files.createDirectories(directory);
        LockFile lock = LockFile.tryLock(directory.resolve(LOCK))
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "spool " + directory + ": in use: by another process with this helper's id, or with the same"
                                + " helper.spool.dir"));
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
     * Another share of the same directory, with a limit of its own: what uses this one never waits for that one. Closing
     * any of them closes the directory.
     */
    public Spool share(long limitBytes) {
        return new Spool(directory, new ByteBudget(limitBytes), sequence, lock);
    }

    /** What its files may use together. */
    public ByteBudget budget() {
        return budget;
    }

    /**
     * Makes a file for {@code bytes} bytes, waiting at most {@code timeoutNanos} for room.
     *
     * @throws CloudMwException {@code OVERLOADED} when there is no room in time or the file cannot be made;
     *     {@code CANCELLED} when interrupted
     */
    public SpoolFile create(long bytes, long timeoutNanos) throws CloudMwException {
        try {
            if (!budget.take(bytes, timeoutNanos)) {
                throw CloudMwException.full("spool: no room for " + bytes + " bytes (in use: " + budget.usedBytes()
                        + " of " + budget.limitBytes() + ")");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while waiting for spool room", e);
        }
        return create(bytes);
    }

    /** Gives the directory back, and removes it if it is empty. Files that are open stay so; no others can be made. */
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
            LOG.debug("spool {}: its lock goes with the process", directory, e);
        }
    }

    private SpoolFile create(long bytes) throws CloudMwException {
        Path path = directory.resolve(sequence.incrementAndGet() + SUFFIX);
        boolean made = false;
        try {
            FileChannel channel = NamelessFile.open(path);
            made = true;
            return new SpoolFile(channel, bytes, budget);
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.OVERLOADED, "spool: cannot make a file: " + Reasons.of(e), e);
        } finally {
            if (!made) {
                budget.giveBack(bytes);
            }
        }
    }

    /** One nameless file. The channel's users agree among themselves; closing is idempotent. */
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
         * Counts its bytes in {@code other} from now on.
         *
         * @return whether there was room; nothing changes otherwise
         */
        public synchronized boolean move(ByteBudget other) {
            if (closed || !other.tryTake(bytes)) {
                return false;
            }
            budget.giveBack(bytes);
            budget = other;
            return true;
        }

        /** Whether its bytes count there. */
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
                LOG.warn("cannot close a spool file", e);
            } finally {
                budget.giveBack(bytes);
            }
        }
    }
}

package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The files that one read of a pack delivers. Each is compared with its own digests, then written. Safe for any
 * thread.
 */
final class PackReader implements PositionalTarget {
    /** The files that are written at once; the read waits while all are. */
    private static final int WRITING = 32;

    /** Makes the names of a directory survive a crash. */
    interface DirectoryForce {
        /**
         * Forces a directory.
         *
         * @throws CloudMwException {@code LOCAL_IO}
         */
        void force(Path directory) throws CloudMwException;
    }

    private final List<PackedFile> files;
    private final boolean durable;
    private final Executor writers;
    private final DirectoryForce directories;

    /** The files that got their names, with their directories. */
    private final Map<PackedFile, Path> written = new ConcurrentHashMap<>();

    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private int writing;

    @GuardedBy("lock")
    private boolean finished;

    /**
     * @param files in the order of their places
     * @param durable whether files are forced to the disk before they get their names, and their directories at the end
     * @param writers may block
     * @param directories forces them
     */
    PackReader(List<PackedFile> files, boolean durable, Executor writers, DirectoryForce directories) {
        this.files = files;
        this.durable = durable;
        this.writers = writers;
        this.directories = directories;
    }

    @Override
    public void write(long offset, ByteBuffer leaf) {
        for (int i = firstBehind(offset); i < files.size(); i++) {
            PackedFile file = files.get(i);
            if (file.place().offset() >= offset + leaf.remaining()) {
                return;
            }
            if (isWhole(file, offset, leaf)) {
                startCommit(file);
            }
        }
    }

    private void startCommit(PackedFile file) {
        if (!beginWriting()) {
            return; // the read was finished meanwhile, which leaves the file to its caller
        }
        try {
            writers.execute(() -> {
                try {
                    commit(file);
                } finally {
                    endWriting();
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            endWriting();
            file.giveUp();
            file.call().fail(Failures.clientClosed());
        }
    }

    /** Waits until a file may be written. Returns false: none may any more. */
    private boolean beginWriting() {
        lock.lock();
        try {
            while (writing == WRITING && !finished) {
                changed.awaitUninterruptibly();
            }
            if (!finished) {
                writing++;
            }
            return !finished;
        } finally {
            lock.unlock();
        }
    }

    private void endWriting() {
        lock.lock();
        try {
            writing--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets no further file be written, and waits for those that are. */
    private void endWrites() {
        lock.lock();
        try {
            finished = true;
            changed.signalAll();
            while (writing > 0) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Passes a leaf to a file. One that cannot be written fails alone. */
    private boolean isWhole(PackedFile file, long offset, ByteBuffer leaf) {
        try {
            return file.take(offset, leaf, durable);
        } catch (CloudMwException e) {
            file.giveUp();
            file.call().fail(e);
            return false;
        }
    }

    /** The first file that ends behind this place. */
    private int firstBehind(long offset) {
        int low = 0;
        int high = files.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (files.get(middle).place().end() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void commit(PackedFile file) {
        if (file.call().isDone()) {
            return;
        }
        try {
            written.put(file, file.commit(durable));
        } catch (CloudMwException e) {
            file.call().fail(e);
        }
    }

    /**
     * Ends the read: waits for the files that are being written, and completes those that were. Blocks.
     *
     * @return the files whose bytes did not come
     */
    List<PackedFile> finish() {
        endWrites();
        Map<Path, Optional<CloudMwException>> forced = new HashMap<>();
        written.forEach((file, directory) -> {
            Optional<CloudMwException> failure = forced.computeIfAbsent(directory, this::force);
            if (failure.isPresent()) {
                file.call().fail(failure.get());
            } else {
                file.call().complete(file.status());
            }
        });
        List<PackedFile> left = new ArrayList<>();
        for (PackedFile file : files) {
            file.giveUp();
            if (file.call().isDone()) {
                file.call().end();
            } else {
                left.add(file);
            }
        }
        return left;
    }

    /** Returns the failure; empty: the directory was forced, or need not be. */
    private Optional<CloudMwException> force(Path directory) {
        try {
            if (durable) {
                directories.force(directory);
            }
            return Optional.empty();
        } catch (CloudMwException e) {
            return Optional.of(e);
        }
    }

    /** Ends the read where {@link #finish} cannot: gives up and fails the files that were not completed. */
    void abandon(CloudMwException cause) {
        for (PackedFile file : files) {
            file.giveUp();
            file.call().fail(cause);
        }
    }
}

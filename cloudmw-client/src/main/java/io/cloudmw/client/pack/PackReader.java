package io.cloudmw.client.pack;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * The files that one read of a pack delivers. Each is compared with its own digests, then written. Safe for any
 * thread.
 */
final class PackReader implements PositionalTarget {
    /** The files that are written at once; the read waits while all are. */
    private static final int WRITING = 32;

    private final List<PackedFile> files;
    private final boolean durable;
    private final Executor writers;
    private final Semaphore room = new Semaphore(WRITING);
    private final Set<Path> directories = ConcurrentHashMap.newKeySet();
    private final Set<PackedFile> written = ConcurrentHashMap.newKeySet();

    /**
     * @param files in the order of their places
     * @param durable whether files are forced to the disk before they get their names
     * @param writers may block
     */
    PackReader(List<PackedFile> files, boolean durable, Executor writers) {
        this.files = files;
        this.durable = durable;
        this.writers = writers;
    }

    @Override
    public void write(long offset, ByteBuffer leaf) {
        for (int i = firstBehind(offset); i < files.size(); i++) {
            PackedFile file = files.get(i);
            if (file.place().offset() >= offset + leaf.remaining()) {
                return;
            }
            if (isWhole(file, offset, leaf)) {
                room.acquireUninterruptibly();
                writers.execute(() -> {
                    try {
                        commit(file);
                    } finally {
                        room.release();
                    }
                });
            }
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
            directories.add(file.commit(durable));
            written.add(file);
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
        room.acquireUninterruptibly(WRITING);
        try {
            if (durable) {
                for (Path directory : directories) {
                    FileSink.forceDirectory(directory);
                }
            }
            written.forEach(file -> file.call().complete(file.status()));
        } catch (CloudMwException e) {
            written.forEach(file -> file.call().fail(e));
        }
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
}

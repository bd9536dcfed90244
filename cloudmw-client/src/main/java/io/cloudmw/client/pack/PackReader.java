package io.cloudmw.client.pack;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
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
    public void write(long offset, ByteBuffer leaf) throws CloudMwException {
        for (int i = firstBehind(offset); i < files.size(); i++) {
            PackedFile file = files.get(i);
            if (file.place().offset() >= offset + leaf.remaining()) {
                return;
            }
            var whole = file.take(offset, leaf);
            if (whole.isPresent()) {
                room.acquireUninterruptibly();
                writers.execute(() -> {
                    try {
                        write(file, whole.get());
                    } finally {
                        room.release();
                    }
                });
            }
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

    private void write(PackedFile file, byte[] content) {
        if (file.call().isDone()) {
            return;
        }
        Path target = file.get().target();
        FileSink sink = FileSink.fresh(target, content.length, durable);
        boolean done = false;
        try {
            if (!file.isIntact(content)) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        file.get().source() + ": its bytes in the pack are not those of its manifest");
            }
            sink.open();
            sink.write(0, ByteBuffer.wrap(content));
            directories.add(sink.commitFile());
            done = true;
            written.add(file);
        } catch (CloudMwException e) {
            file.call().fail(e);
        } finally {
            if (!done) {
                sink.abort();
            }
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
            if (file.call().isDone()) {
                file.call().end();
            } else {
                left.add(file);
            }
        }
        return left;
    }
}

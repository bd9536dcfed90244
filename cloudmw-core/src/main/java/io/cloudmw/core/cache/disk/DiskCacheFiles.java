package io.cloudmw.core.cache.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.disk.PageCache;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of adjacent leaves of a disk cache, which are sent from there. An open file outlives the eviction of its
 * leaf. A single thread opens files in order; any thread may close this.
 */
public final class DiskCacheFiles implements AutoCloseable {
    private final DiskCache cache;
    private final LeafRange wanted;
    private final PageCache pages;

    /** Permits of files that are not open yet. */
    @GuardedBy("this")
    private int files;

    @GuardedBy("this")
    private boolean closed;

    /** The file that is being loaded into the page cache. */
    @GuardedBy("this")
    private @Nullable FileChannel loading;

    /** Takes over {@code pages}, and a permit for each leaf. */
    private DiskCacheFiles(DiskCache cache, LeafRange wanted, PageCache pages) {
        this.cache = cache;
        this.wanted = wanted;
        this.pages = pages;
        this.files = wanted.leaves();
    }

    /** The files of some leaves; empty when this process has not verified all of them, or too many files are open. */
    static Optional<DiskCacheFiles> of(DiskCache cache, LeafRange wanted) {
        for (int leaf = 0; leaf < wanted.leaves(); leaf++) {
            if (!cache.isVerified(key(wanted, leaf), wanted.length(leaf), wanted.crc32c(leaf))) {
                return Optional.empty();
            }
        }
        if (!cache.openFiles().tryAcquire(wanted.leaves())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new DiskCacheFiles(cache, wanted, PageCache.open()));
        } catch (IOException e) {
            cache.openFiles().release(wanted.leaves());
            return Optional.empty();
        }
    }

    private static LeafKey key(LeafRange leaves, int index) {
        return new LeafKey(leaves.chunk(), Math.toIntExact(leaves.range().offset() / leaves.leafSizeBytes()) + index);
    }

    /**
     * Opens the file of the next leaf and loads its bytes into the page cache. Blocks.
     *
     * @param index of the leaf, from the first of the row
     * @return the file; the caller closes it, then calls {@link #closed}
     * @throws CloudMwException {@code REPLICA_MISSING} when the file is gone; {@code REPLICA_CORRUPT} when it is
     *     shorter than it was; {@code STORE_UNAVAILABLE} when it cannot be read; {@code CANCELLED} after {@link #close}
     */
    public FileChannel open(int index) throws CloudMwException {
        LeafKey key = key(wanted, index);
        try {
            FileChannel file = FileChannel.open(cache.file(key), StandardOpenOption.READ);
            boolean given = false;
            try {
                load(key, file, wanted.length(index));
                give();
                given = true;
                return file;
            } finally {
                if (!given) {
                    file.close();
                }
            }
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.REPLICA_MISSING, what(key) + "the file is gone", e);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw isClosed()
                    ? new CloudMwException(ErrorCode.CANCELLED, what(key) + "cancelled", e)
                    : new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what(key) + Reasons.of(e), e);
        }
    }

    /** Gives back the permit of an opened file, which the caller has closed. Any thread, also after {@link #close}. */
    public void closed() {
        cache.openFiles().release();
    }

    private static String what(LeafKey key) {
        return "leaf " + key + " store=" + DiskCache.ID + ": ";
    }

    private void load(LeafKey key, FileChannel file, int length) throws IOException {
        synchronized (this) {
            requireOpen();
            loading = file;
        }
        int loaded = 0;
        for (int moved = 0; loaded < length && moved >= 0; loaded += Math.max(0, moved)) {
            moved = pages.load(file, loaded, length - loaded);
        }
        if (loaded < length) {
            throw new CloudMwException(ErrorCode.REPLICA_CORRUPT, what(key) + "the file is too short");
        }
    }

    /** Hands the loaded file over to the caller. */
    private synchronized void give() throws CloudMwException {
        requireOpen();
        loading = null;
        files--;
    }

    @GuardedBy("this")
    private void requireOpen() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(
                    ErrorCode.CANCELLED, "chunk=" + wanted + " store=" + DiskCache.ID + ": cancelled");
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Gives back the permits of files that were not opened, and ends a load. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        cache.openFiles().release(files);
        if (loading != null) {
            try {
                loading.close(); // ends the transfer to the null device
            } catch (IOException e) {
                // Nothing was written to the file.
            }
        }
        pages.close();
    }
}

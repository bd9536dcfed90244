package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.disk.PageCache;
import io.cloudmw.helper.block.FileLeaf;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files of leaves that are sent from the disk tier. An open file outlives the eviction of its leaf. */
final class TierFiles implements LeafFiles {
    private final DiskTier tier;
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
    private TierFiles(DiskTier tier, LeafRange wanted, PageCache pages) {
        this.tier = tier;
        this.wanted = wanted;
        this.pages = pages;
        this.files = wanted.leaves();
    }

    /** The files of some leaves; empty when this process has not verified all of them, or too many files are open. */
    static Optional<LeafFiles> of(DiskTier tier, LeafRange wanted) {
        for (int leaf = 0; leaf < wanted.leaves(); leaf++) {
            if (!tier.isSeen(key(wanted, leaf), wanted.length(leaf), wanted.crc32c(leaf))) {
                return Optional.empty();
            }
        }
        if (!tier.openFiles().tryAcquire(wanted.leaves())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new TierFiles(tier, wanted, PageCache.open()));
        } catch (IOException e) {
            tier.openFiles().release(wanted.leaves());
            return Optional.empty();
        }
    }

    private static LeafKey key(LeafRange leaves, int index) {
        return new LeafKey(leaves.chunk(), Math.toIntExact(leaves.range().offset() / leaves.leafSizeBytes()) + index);
    }

    @Override
    public Leaf open(int index) throws CloudMwException {
        LeafKey key = key(wanted, index);
        try {
            FileChannel file = FileChannel.open(tier.file(key), StandardOpenOption.READ);
            boolean given = false;
            try {
                load(key, file, wanted.length(index));
                Leaf leaf = give(file, index);
                given = true;
                return leaf;
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

    private static String what(LeafKey key) {
        return "leaf " + key + " store=" + TierStore.ID + ": ";
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

    /** Hands the file over to a leaf. */
    private synchronized Leaf give(FileChannel file, int index) throws CloudMwException {
        requireOpen();
        loading = null;
        files--;
        return new FileLeaf(
                file,
                wanted.length(index),
                wanted.crc32c(index),
                () -> tier.openFiles().release());
    }

    @GuardedBy("this")
    private void requireOpen() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(
                    ErrorCode.CANCELLED, "chunk=" + wanted + " store=" + TierStore.ID + ": cancelled");
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        tier.openFiles().release(files);
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

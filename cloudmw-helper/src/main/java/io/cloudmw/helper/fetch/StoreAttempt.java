package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduledWork;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.FileBlock;
import io.cloudmw.helper.block.LeafFileStore;
import io.cloudmw.helper.block.LeafFiles;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.LeavesBlock;
import io.cloudmw.helper.block.MemoryBlock;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An attempt that reads a store on a pool thread. Any thread may cancel it. */
final class StoreAttempt implements FairPool.Task, BlockAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(StoreAttempt.class);

    private final StoreFetcher fetcher;
    private final WantedBlock block;
    private final StoreId storeId;
    private final Requester requester;
    private final Listener listener;
    /** The allocator of leaves that are kept one by one; null when the block is kept as a whole. */
    private final @Nullable LeafMemory allocator;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean cancelled;

    @GuardedBy("lock")
    private @Nullable LeafSource reading;

    /** The thread that a cancel interrupts; set only while it prepares, when there is no reader to close. */
    @GuardedBy("lock")
    private @Nullable Thread preparing;

    /** Bytes fetched so far; written by the pool thread only. */
    private volatile long fetchedBytes;

    private volatile long wantedBytes;

    /** The attempt's place in the queue; null for a moment, until it is queued. */
    private volatile @Nullable ScheduledWork<FairPool.Task> turn;

    StoreAttempt(
            StoreFetcher fetcher,
            WantedBlock block,
            StoreId storeId,
            Requester requester,
            Listener listener,
            @Nullable LeafMemory allocator) {
        this.allocator = allocator;
        this.fetcher = fetcher;
        this.block = block;
        this.storeId = storeId;
        this.requester = requester;
        this.listener = listener;
        this.wantedBytes = block.length();
    }

    /** Notes the attempt's place in the queue. */
    void queued(ScheduledWork<FairPool.Task> place) {
        turn = place;
    }

    private boolean unqueue() {
        ScheduledWork<FairPool.Task> place = turn;
        return place != null && fetcher.unqueue(block, place);
    }

    @Override
    public void shorten(long bytes) {
        LeafSource running;
        synchronized (lock) {
            wantedBytes = Math.min(wantedBytes, bytes);
            running = reading;
        }
        if (running != null && fetchedBytes >= wantedBytes) {
            running.cancel(); // it may wait for bytes that are not wanted
        }
    }

    @Override
    public void cancel() {
        LeafSource running;
        synchronized (lock) {
            if (cancelled) {
                return;
            }
            cancelled = true;
            running = reading;
            if (preparing != null) {
                preparing.interrupt();
            }
        }
        if (running != null) {
            running.cancel();
        } else if (unqueue()) {
            listener.cancelled(0);
        }
    }

    @Override
    public boolean expire(CloudMwException cause) {
        boolean waits = unqueue();
        if (waits) {
            listener.failed(cause, 0);
        }
        return waits;
    }

    @Override
    public long bytesRead() {
        LeafSource running;
        synchronized (lock) {
            running = reading;
        }
        return running == null ? 0 : running.bytesRead();
    }

    /** Returns the bytes read from the store, however the attempt ended. */
    @Override
    public long run() {
        attempt();
        return bytesRead();
    }

    private void attempt() {
        FetchedBlock fetched;
        try {
            fetched = fetch();
        } catch (CloudMwException e) {
            failed(e);
            return;
        } catch (RuntimeException | Error e) {
            LOG.error("attempt at {} store={} failed by a defect", block, storeId, e);
            failed(CloudMwException.ofDefect(block + " store=" + storeId, e));
            return;
        }
        if (isCancelled()) {
            fetched.close();
            listener.cancelled(bytesRead());
        } else {
            listener.finished(fetched);
        }
    }

    private void failed(CloudMwException cause) {
        if (isCancelled()) {
            listener.cancelled(bytesRead());
        } else {
            requester.failed(block.leaves().chunk(), storeId, cause);
            listener.failed(cause, bytesRead());
        }
    }

    private FetchedBlock fetch() throws CloudMwException {
        if (!listener.turnCame()) {
            cancel();
        }
        prepare();
        try {
            ChunkStore store = requester.stores().open(storeId, block.untilMillis());
            Optional<Path> file = store.file(block.leaves().chunk());
            if (file.isPresent()) {
                return fetchInPlace(store, file.get());
            }
            if (allocator != null) {
                Optional<LeafFiles> files =
                        store instanceof LeafFileStore known ? known.leafFiles(block.leaves()) : Optional.empty();
                return files.isPresent() ? openLeaves(files.get()) : fetchLeaves(store, allocator);
            }
            if (block.length() <= fetcher.limits().memoryBlockBytes()
                    && fetcher.memory().tryTake(block.length())) {
                return fetchToMemory(store);
            }
            return fetchToSpool(store);
        } finally {
            prepared();
        }
    }

    /**
     * Prepares to send the replica's own file. A racer reads the file once, to verify what it claims. The destination
     * alone verifies a block with cut-through; this read only loads the bytes into the page cache. A destination that
     * doubts them has the replica checked ({@link StoreFetcher#check}).
     */
    private FetchedBlock fetchInPlace(ChunkStore store, Path path) throws CloudMwException {
        ByteBuf scratch = fetcher.scratch(block);
        @Nullable FetchedBlock fetched = null;
        boolean kept = false;
        try {
            fetched =
                    new FileBlock(block, openReplica(path), block.race().range().offset());
            StoreLeafVerifier verifier = block.race().isCutThrough()
                    ? StoreLeafVerifier.unchecked(store, block.leaves())
                    : new StoreLeafVerifier(store, block.leaves());
            run(LeafSource.of(verifier, LeafTarget.discarding(scratch.nioBuffer(0, scratch.capacity()))), fetched);
            kept = true;
            return fetched;
        } finally {
            scratch.release();
            if (!kept && fetched != null) {
                fetched.close();
            }
        }
    }

    private FetchedBlock fetchToMemory(ChunkStore store) throws CloudMwException {
        int length = Math.toIntExact(block.length());
        @Nullable FetchedBlock fetched = null;
        boolean kept = false;
        try {
            ByteBuf bytes = fetcher.allocator().directBuffer(length, length);
            fetched = new MemoryBlock(block, bytes.writerIndex(length), fetcher.memory());
            verify(store, LeafTarget.memory(bytes.nioBuffer(0, length)), fetched);
            kept = true;
            return fetched;
        } finally {
            if (!kept && fetched != null) {
                fetched.close();
            } else if (!kept) {
                fetcher.memory().giveBack(length);
            }
        }
    }

    private FetchedBlock fetchLeaves(ChunkStore store, LeafMemory leaves) throws CloudMwException {
        LeavesBlock fetched = new LeavesBlock(block);
        boolean kept = false;
        try (LeafMemory.LeafWriter writer = leaves.writer(fetched)) {
            verify(store, writer, fetched);
            kept = true;
            return fetched;
        } finally {
            if (!kept) {
                fetched.close();
            }
        }
    }

    /** Prepares to send leaves from files that the store has verified; the destination verifies them again. */
    private FetchedBlock openLeaves(LeafFiles opened) throws CloudMwException {
        LeavesBlock fetched = new LeavesBlock(block);
        boolean kept = false;
        try (LeafFiles files = opened) {
            run(LeafSource.of(files, fetched), fetched);
            kept = true;
            return fetched;
        } finally {
            if (!kept) {
                fetched.close();
            }
        }
    }

    private FetchedBlock fetchToSpool(ChunkStore store) throws CloudMwException {
        ByteBuf scratch = fetcher.scratch(block);
        @Nullable FetchedBlock fetched = null;
        boolean kept = false;
        try {
            Spool.SpoolFile file =
                    fetcher.spool().create(block.length(), fetcher.limits().spoolWaitNanos());
            fetched = new FileBlock(block, file);
            verify(store, LeafTarget.file(file.channel(), 0, scratch.nioBuffer(0, scratch.capacity())), fetched);
            kept = true;
            return fetched;
        } finally {
            scratch.release();
            if (!kept && fetched != null) {
                fetched.close();
            }
        }
    }

    /** Ends a read after the bytes that are wanted. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super("enough", null, false, false);
        }
    }

    private void verify(ChunkStore store, LeafTarget target, FetchedBlock fetched) throws CloudMwException {
        run(LeafSource.of(new StoreLeafVerifier(store, block.leaves(), block.extra()), target), fetched);
    }

    private void run(LeafSource started, FetchedBlock fetched) throws CloudMwException {
        synchronized (lock) {
            if (cancelled) {
                throw new CloudMwException(ErrorCode.CANCELLED, block + " store=" + storeId + ": cancelled");
            }
            reading = started;
        }
        prepared();
        listener.began(fetched);
        try {
            started.run(bytes -> {
                fetchedBytes = bytes;
                fetched.arrived(bytes);
                listener.progressed(bytes);
                if (bytes >= wantedBytes && bytes < block.length()) {
                    throw new Enough();
                }
            });
        } catch (Enough e) {
            LOG.trace("{} shortened to {} bytes", block, fetchedBytes);
        } catch (CloudMwException e) {
            if (isCancelled() || fetchedBytes < wantedBytes) {
                throw e;
            }
        }
    }

    private void prepare() throws CloudMwException {
        synchronized (lock) {
            if (cancelled) {
                throw new CloudMwException(ErrorCode.CANCELLED, block + " store=" + storeId + ": cancelled");
            }
            preparing = Thread.currentThread();
        }
    }

    /**
     * Ends the preparation: from here on a cancel closes the reader. Clears an interrupt, so that the next task does
     * not see it.
     */
    private void prepared() {
        synchronized (lock) {
            if (preparing != null) {
                preparing = null;
                if (cancelled) {
                    boolean interrupted = Thread.interrupted();
                    LOG.trace("{} cancelled while preparing, interrupted={}", block, interrupted);
                }
            }
        }
    }

    private FileChannel openReplica(Path path) throws CloudMwException {
        try {
            return FileChannel.open(path, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.REPLICA_MISSING, block + " store=" + storeId + ": no such chunk", e);
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE, block + " store=" + storeId + ": " + Reasons.of(e), e);
        }
    }

    private boolean isCancelled() {
        synchronized (lock) {
            return cancelled;
        }
    }
}

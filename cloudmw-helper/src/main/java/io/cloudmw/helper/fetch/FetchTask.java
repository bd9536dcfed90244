package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.LeafVerifier;
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

/** One attempt: run by one pool thread, cancelled by any. */
final class FetchTask implements Runnable, Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(FetchTask.class);

    private final Fetcher fetcher;
    private final WantedBlock block;
    private final StoreId storeId;
    private final StoreResolver stores;
    private final Listener listener;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean cancelled;

    @GuardedBy("lock")
    private @Nullable LeafVerifier verifier;

    /** The thread to interrupt when cancelled: set only while it prepares, when there is no reader to close. */
    @GuardedBy("lock")
    private @Nullable Thread preparing;

    /** Written by the pool thread only. */
    private volatile long verifiedBytes;

    FetchTask(Fetcher fetcher, WantedBlock block, StoreId storeId, StoreResolver stores, Listener listener) {
        this.fetcher = fetcher;
        this.block = block;
        this.storeId = storeId;
        this.stores = stores;
        this.listener = listener;
    }

    @Override
    public void cancel() {
        LeafVerifier running;
        synchronized (lock) {
            if (cancelled) {
                return;
            }
            cancelled = true;
            running = verifier;
            if (preparing != null) {
                preparing.interrupt();
            }
        }
        if (running != null) {
            running.cancel();
        } else if (fetcher.unqueue(this)) {
            listener.cancelled(0);
        }
    }

    @Override
    public void run() {
        FetchedBlock fetched;
        try {
            fetched = fetch();
        } catch (CloudMwException e) {
            failed(e);
            return;
        } catch (RuntimeException | Error e) {
            LOG.error("attempt at {} store={} failed by a defect", block, storeId, e);
            failed(new CloudMwException(ErrorCode.INTERNAL, block + " store=" + storeId + ": " + e, e));
            return;
        }
        if (isCancelled()) {
            fetched.close();
            listener.cancelled(verifiedBytes);
        } else {
            listener.finished(fetched);
        }
    }

    private void failed(CloudMwException cause) {
        if (isCancelled()) {
            listener.cancelled(verifiedBytes);
        } else {
            listener.failed(cause, verifiedBytes);
        }
    }

    private FetchedBlock fetch() throws CloudMwException {
        prepare();
        try {
            ChunkStore store = stores.open(storeId);
            Optional<Path> file = store.file(block.leaves().chunk());
            if (file.isPresent()) {
                return fetchInPlace(store, file.get());
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

    /** The replica's own file is what will be sent: it is read once, to verify it. */
    private FetchedBlock fetchInPlace(ChunkStore store, Path path) throws CloudMwException {
        ByteBuf scratch = scratch();
        @Nullable FileChannel file = null;
        boolean kept = false;
        try {
            file = openReplica(path);
            verify(store, LeafTarget.discarding(scratch.nioBuffer(0, scratch.capacity())));
            kept = true;
            return new FileBlock(block, file, block.race().range().offset(), () -> {});
        } finally {
            scratch.release();
            if (!kept && file != null) {
                closeQuietly(file);
            }
        }
    }

    private FetchedBlock fetchToMemory(ChunkStore store) throws CloudMwException {
        int length = Math.toIntExact(block.length());
        @Nullable ByteBuf bytes = null;
        boolean kept = false;
        try {
            bytes = fetcher.allocator().directBuffer(length, length);
            verify(store, LeafTarget.memory(bytes.nioBuffer(0, length)));
            bytes.writerIndex(length);
            kept = true;
            return new MemoryBlock(block, bytes, fetcher.memory());
        } finally {
            if (!kept) {
                if (bytes != null) {
                    bytes.release();
                }
                fetcher.memory().giveBack(length);
            }
        }
    }

    private FetchedBlock fetchToSpool(ChunkStore store) throws CloudMwException {
        ByteBuf scratch = scratch();
        Spool.@Nullable SpoolFile file = null;
        boolean kept = false;
        try {
            file = fetcher.spool().create(block.length(), fetcher.limits().spoolWaitNanos());
            verify(store, LeafTarget.file(file.channel(), 0, scratch.nioBuffer(0, scratch.capacity())));
            kept = true;
            return new FileBlock(block, file.channel(), 0, file::close);
        } finally {
            scratch.release();
            if (!kept && file != null) {
                file.close();
            }
        }
    }

    private void verify(ChunkStore store, LeafTarget target) throws CloudMwException {
        LeafVerifier created = new LeafVerifier(store, block.leaves());
        synchronized (lock) {
            if (cancelled) {
                throw new CloudMwException(ErrorCode.CANCELLED, block + " store=" + storeId + ": cancelled");
            }
            verifier = created;
        }
        prepared();
        created.run(target, bytes -> {
            verifiedBytes = bytes;
            listener.progressed(bytes);
        });
    }

    private void prepare() throws CloudMwException {
        synchronized (lock) {
            if (cancelled) {
                throw new CloudMwException(ErrorCode.CANCELLED, block + " store=" + storeId + ": cancelled");
            }
            preparing = Thread.currentThread();
        }
    }

    /** From here on a cancel closes the reader; an interrupt that came in time is not left to the next task. */
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
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, block + " store=" + storeId + ": " + e, e);
        }
    }

    private ByteBuf scratch() {
        int length = (int) Math.min(block.leaves().leafSizeBytes(), block.length());
        return fetcher.allocator().directBuffer(length, length);
    }

    private boolean isCancelled() {
        synchronized (lock) {
            return cancelled;
        }
    }

    private void closeQuietly(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("cannot close the replica of {} store={}", block, storeId, e);
        }
    }
}

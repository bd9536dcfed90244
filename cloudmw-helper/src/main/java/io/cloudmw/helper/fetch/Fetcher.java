package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.LeafVerifier;
import io.cloudmw.core.thread.Threads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts on a bounded pool of blocking threads, and those that make up for late ones on another, so that they never
 * wait for what they are to make up for. What they fetch stays where it is when it is a file of an
 * own disk; it goes to memory when it is small and memory is free; otherwise into the spool. Safe for any thread.
 */
public final class Fetcher implements AutoCloseable {
    /**
     * How much it may use at once.
     *
     * @param threads attempts that run at once
     * @param extraThreads attempts besides, of those that make up for late ones
     * @param queue attempts that may wait for a thread, in either pool: as many as all transfers together may start, so that
     *     none is refused
     * @param memoryBlockBytes longest block that is kept in memory
     * @param spoolWaitNanos how long an attempt waits for room in the spool before it fails
     */
    public record Limits(int threads, int extraThreads, int queue, long memoryBlockBytes, long spoolWaitNanos) {
        public Limits {
            if (threads < 1) {
                throw new IllegalArgumentException("threads: " + threads + " (expected: >= 1)");
            }
            if (extraThreads < 1) {
                throw new IllegalArgumentException("extraThreads: " + extraThreads + " (expected: >= 1)");
            }
            if (queue < 1) {
                throw new IllegalArgumentException("queue: " + queue + " (expected: >= 1)");
            }
        }
    }

    private final Limits limits;
    private final ByteBudget memory;
    private final Spool spool;
    private final ByteBufAllocator allocator;
    private final ThreadPoolExecutor ordinary;
    private final ThreadPoolExecutor extra;

    /**
     * Starts with no thread.
     *
     * @param memory what blocks kept in memory may use together
     */
    public Fetcher(Limits limits, ByteBudget memory, Spool spool, ByteBufAllocator allocator) {
        this.limits = limits;
        this.memory = memory;
        this.spool = spool;
        this.allocator = allocator;
        this.ordinary = Threads.blocking("fetch", limits.threads(), limits.queue());
        this.extra = Threads.blocking("fetch-extra", limits.extraThreads(), limits.queue());
    }

    /**
     * Starts an attempt.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many are waiting already
     */
    public Attempt start(WantedBlock block, StoreId store, StoreResolver stores, Attempt.Listener listener)
            throws CloudMwException {
        FetchTask task = new FetchTask(this, block, store, stores, listener);
        execute(block, store, task);
        return task;
    }

    private void execute(WantedBlock block, StoreId store, Runnable task) throws CloudMwException {
        try {
            pool(block).execute(task);
        } catch (RejectedExecutionException e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, block + " store=" + store + ": no room for another attempt", e);
        }
    }

    /**
     * Looks whether a replica that was sent unverified is what the manifest says. {@code verdict} hears once, on a pool
     * thread: what is wrong with it, or null.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many are waiting already
     */
    public void check(
            WantedBlock block, StoreId store, StoreResolver stores, Consumer<@Nullable CloudMwException> verdict)
            throws CloudMwException {
        execute(block, store, () -> {
            CloudMwException wrong = null;
            try {
                check(block, stores.open(store));
            } catch (CloudMwException e) {
                wrong = e;
            } catch (RuntimeException | Error e) {
                wrong = new CloudMwException(ErrorCode.INTERNAL, block + " store=" + store + ": " + e, e);
            }
            verdict.accept(wrong);
        });
    }

    /** What is no file here was verified when it was fetched, and is not fetched again. */
    private void check(WantedBlock block, ChunkStore store) throws CloudMwException {
        if (store.file(block.leaves().chunk()).isEmpty()) {
            return;
        }
        ByteBuf scratch = scratch(block);
        try {
            LeafTarget target = LeafTarget.discarding(scratch.nioBuffer(0, scratch.capacity()));
            new LeafVerifier(store, block.leaves()).run(target, bytes -> {});
        } finally {
            scratch.release();
        }
    }

    /** Room for one of the block's leaves; the caller releases it. */
    ByteBuf scratch(WantedBlock block) {
        int length = (int) Math.min(block.leaves().leafSizeBytes(), block.length());
        return allocator.directBuffer(length, length);
    }

    private ThreadPoolExecutor pool(WantedBlock block) {
        return block.extra() ? extra : ordinary;
    }

    /** Whether the task was still waiting and now will not run. */
    boolean unqueue(WantedBlock block, FetchTask task) {
        return pool(block).remove(task);
    }

    Limits limits() {
        return limits;
    }

    ByteBudget memory() {
        return memory;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    Spool spool() {
        return spool;
    }

    /** Ends what runs; attempts still waiting are dropped without a word. */
    @Override
    public void close() {
        ordinary.shutdownNow();
        extra.shutdownNow();
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Turn;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.LeafVerifier;
import io.cloudmw.helper.block.LeafAllocator;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts on a pool of blocking threads, when their turn has come, and those that make up for late ones on another, so
 * that they never wait for what they are to make up for. What they fetch stays where it is when it is a file of an
 * own disk; it goes to memory when it is small and memory is free; otherwise into the spool. Safe for any thread.
 */
public final class StoreFetcher implements BlockFetcher, AutoCloseable {
    /**
     * How much it may use at once.
     *
     * @param memoryBlockBytes longest block that is kept in memory
     * @param spoolWaitNanos how long an attempt waits for room in the spool before it fails
     */
    public record Limits(long memoryBlockBytes, long spoolWaitNanos) {}

    /**
     * Where attempts run.
     *
     * @param extra those that make up for late ones
     */
    public record Pools(FairPool ordinary, FairPool extra) {}

    private final Limits limits;
    private final ByteBudget memory;
    private final Spool spool;
    private final ByteBufAllocator allocator;
    private final Pools pools;

    /**
     * Runs nothing yet.
     *
     * @param pools closed with this
     * @param memory what blocks kept in memory may use together
     */
    public StoreFetcher(Pools pools, Limits limits, ByteBudget memory, Spool spool, ByteBufAllocator allocator) {
        this.pools = pools;
        this.limits = limits;
        this.memory = memory;
        this.spool = spool;
        this.allocator = allocator;
    }

    @Override
    public BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException {
        return start(requester, block, new StoreAttempt(this, block, store, requester, listener, null));
    }

    /**
     * As the other, for leaves that are to be held one by one: they go to {@code room}, unless the replica is a file of an
     * own disk.
     */
    public BlockAttempt start(
            Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener, LeafAllocator room)
            throws CloudMwException {
        return start(requester, block, new StoreAttempt(this, block, store, requester, listener, room));
    }

    /**
     * Has an attempt that needs no thread begin when the requester's turn has come; it counts with the block's length.
     *
     * @param begin begins it; called once at most, on a pool thread; must not block
     */
    public BlockAttempt startAtItsTurn(
            Requester requester, WantedBlock block, BlockAttempt.Listener listener, Supplier<BlockAttempt> begin)
            throws CloudMwException {
        QueuedAttempt attempt = new QueuedAttempt(this, block, listener, begin);
        attempt.waits(submit(requester, block, attempt));
        return attempt;
    }

    private StoreAttempt start(Requester requester, WantedBlock block, StoreAttempt task) throws CloudMwException {
        task.waits(submit(requester, block, task));
        return task;
    }

    private Turn<FairPool.Task> submit(Requester requester, WantedBlock block, FairPool.Task task)
            throws CloudMwException {
        return pool(block).submit(requester.tenant(), block.length(), requester.deadlineNanos(), task);
    }

    /**
     * Looks whether a replica that was sent unverified is what the manifest says. {@code verdict} hears once, on a pool
     * thread: what is wrong with it, or null.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many are waiting already
     */
    public void check(
            Requester requester, WantedBlock block, StoreId store, Consumer<@Nullable CloudMwException> verdict)
            throws CloudMwException {
        var unused = submit(requester, block, () -> {
            CloudMwException wrong = null;
            try {
                check(block, requester.stores().open(store, block.untilMillis()));
            } catch (CloudMwException e) {
                wrong = e;
                requester.failed(block.leaves().chunk(), store, e);
            } catch (RuntimeException | Error e) {
                wrong = CloudMwException.ofDefect(block + " store=" + store, e);
            }
            verdict.accept(wrong);
            return block.length();
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

    private FairPool pool(WantedBlock block) {
        return block.extra() ? pools.extra() : pools.ordinary();
    }

    /** Whether the task was still waiting and now will not run. */
    boolean unqueue(WantedBlock block, Turn<FairPool.Task> turn) {
        return pool(block).withdraw(turn);
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
        pools.ordinary().close();
        pools.extra().close();
    }
}

package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduledWork;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A fetcher that reads stores on a pool of blocking threads. Attempts that make up for late ones have a second pool, so
 * that they never wait for those. A file on a disk of this helper is sent from there. A block with cut-through is kept
 * leaf by leaf until each is sent: in memory while there is room or its reader makes some, else in the spool. A block
 * that is raced for is kept whole: a small one in memory while there is room, others in the spool. Safe for any thread.
 */
public final class StoreFetcher implements BlockFetcher, AutoCloseable {
    /**
     * The limits of attempts.
     *
     * @param memoryBlockBytes longest block that is kept in memory as a whole
     * @param spoolWaitNanos time for which an attempt waits for room in the spool before it fails
     */
    public record Limits(long memoryBlockBytes, long spoolWaitNanos) {}

    /**
     * The pools that run attempts.
     *
     * @param extra runs attempts that make up for late ones
     */
    public record Pools(FairPool ordinary, FairPool extra) {
        /** Returns whether no attempt waits for a thread. */
        boolean areIdle() {
            return Stream.of(Priority.values()).allMatch(each -> ordinary.queued(each) == 0 && extra.queued(each) == 0);
        }
    }

    private final Limits limits;
    private final ByteBudget memory;
    private final Spool spool;
    private final ByteBufAllocator allocator;
    /** The allocator of leaves that are sent while their block is fetched. */
    private final LeafMemory passing;

    private final Pools pools;

    /**
     * Creates a fetcher without attempts.
     *
     * @param pools closed with this
     * @param memory the budget of all leaves and blocks in memory
     */
    public StoreFetcher(Pools pools, Limits limits, ByteBudget memory, Spool spool, ByteBufAllocator allocator) {
        this.pools = pools;
        this.limits = limits;
        this.memory = memory;
        this.spool = spool;
        this.allocator = allocator;
        this.passing = new LeafMemory(
                memory, Optional.of(pools::areIdle), spool, allocator, limits.spoolWaitNanos(), Ticker.system());
    }

    @Override
    public BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException {
        LeafMemory leaves = block.race().isCutThrough() ? passing : null;
        return start(requester, block, new StoreAttempt(this, block, store, requester, listener, leaves));
    }

    /**
     * Starts an attempt whose leaves are kept one by one. They go to {@code room}, unless the replica is a file on a
     * disk of this helper.
     */
    public BlockAttempt start(
            Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener, LeafMemory room)
            throws CloudMwException {
        return start(requester, block, new StoreAttempt(this, block, store, requester, listener, room));
    }

    /**
     * Queues an attempt that needs no thread, and begins it when the requester's turn has come. The attempt costs the
     * block's length.
     *
     * @param begin begins the attempt; called at most once, on a pool thread; must not block
     */
    public BlockAttempt startAtItsTurn(
            Requester requester, WantedBlock block, BlockAttempt.Listener listener, Supplier<BlockAttempt> begin)
            throws CloudMwException {
        QueuedAttempt attempt = new QueuedAttempt(this, block, listener, begin);
        attempt.queued(submit(requester, block, attempt));
        return attempt;
    }

    private StoreAttempt start(Requester requester, WantedBlock block, StoreAttempt task) throws CloudMwException {
        task.queued(submit(requester, block, task));
        return task;
    }

    private ScheduledWork<FairPool.Task> submit(Requester requester, WantedBlock block, FairPool.Task task)
            throws CloudMwException {
        return pool(block).submit(requester.tenant(), block.length(), requester.deadlineNanos(), task);
    }

    /**
     * Verifies a replica that was sent without verification. {@code verdict} hears once, on a pool thread, the failure
     * of the replica, or null.
     *
     * @throws CloudMwException {@code OVERLOADED} when the queue is full
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

    /** Verifies a replica that is a file here; every other replica was verified when it was fetched. */
    private void check(WantedBlock block, ChunkStore store) throws CloudMwException {
        if (store.file(block.leaves().chunk()).isEmpty()) {
            return;
        }
        ByteBuf scratch = scratch(block);
        try {
            LeafTarget target = LeafTarget.discarding(scratch.nioBuffer(0, scratch.capacity()));
            new StoreLeafVerifier(store, block.leaves()).run(target, bytes -> {});
        } finally {
            scratch.release();
        }
    }

    /** A buffer for one leaf of a block; the caller releases it. */
    ByteBuf scratch(WantedBlock block) {
        int length = (int) Math.min(block.leaves().leafSizeBytes(), block.length());
        return allocator.directBuffer(length, length);
    }

    private FairPool pool(WantedBlock block) {
        return block.extra() ? pools.extra() : pools.ordinary();
    }

    /** Withdraws a task; returns whether it was still queued. */
    boolean unqueue(WantedBlock block, ScheduledWork<FairPool.Task> turn) {
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

    /** Ends running attempts; queued ones are dropped, and their listeners hear nothing. */
    @Override
    public void close() {
        pools.ordinary().close();
        pools.extra().close();
    }
}

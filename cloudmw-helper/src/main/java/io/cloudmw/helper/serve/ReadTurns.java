package io.cloudmw.helper.serve;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Tenant;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads of one served read: each task waits for its turn among those of others. One task at a time. */
final class ReadTurns implements Executor {
    /** What one turn may move. */
    static final int TURN_BYTES = 1 << 20;

    private final FairPool pool;
    private final Tenant tenant;
    private final OptionalLong deadlineNanos;

    /** Of the turn that is under way; belongs to its thread. */
    private long movedBytes;

    /** The pool is closing: there are no turns any more, and what is left is done at once. */
    private volatile boolean closing;

    /** @param deadlineNanos when the read should be done, by the pool's ticker; empty: not said */
    ReadTurns(FairPool pool, Tenant tenant, OptionalLong deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
        this.pool = pool;
        this.tenant = tenant;
    }

    /** In the turn that is under way, so much more was read. */
    void moved(long bytes) {
        movedBytes += bytes;
    }

    /** What is left of the turn that is under way. */
    long leftBytes() {
        return closing ? Long.MAX_VALUE : TURN_BYTES - movedBytes;
    }

    @Override
    public void execute(Runnable task) {
        try {
            var unused = pool.submit(tenant, TURN_BYTES, deadlineNanos, () -> {
                movedBytes = 0;
                task.run();
                return movedBytes;
            });
        } catch (CloudMwException e) {
            closing = true;
            throw new RejectedExecutionException(e);
        }
    }
}

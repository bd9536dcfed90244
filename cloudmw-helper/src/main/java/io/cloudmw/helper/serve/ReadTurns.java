package io.cloudmw.helper.serve;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Tenant;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The executor of one served read: each task waits for its turn among other reads. A single task at a time. */
final class ReadTurns implements Executor {
    /** Bytes that one turn may read. */
    static final int TURN_BYTES = 1 << 20;

    private final FairPool pool;
    private final Tenant tenant;
    private final OptionalLong deadlineNanos;

    /** Bytes read in the current turn; belongs to its thread. */
    private long movedBytes;

    /** The pool is closing, so that there are no more turns: the rest of the task runs at once. */
    private volatile boolean closing;

    /** @param deadlineNanos time by which the read should be done, by the pool's ticker; empty when none was set */
    ReadTurns(FairPool pool, Tenant tenant, OptionalLong deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
        this.pool = pool;
        this.tenant = tenant;
    }

    /** Counts bytes that the current turn has read. */
    void moved(long bytes) {
        movedBytes += bytes;
    }

    /** Bytes that the current turn may still read. */
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

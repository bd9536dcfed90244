package io.cloudmw.helper.serve;

import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.helper.block.Spool;
import java.util.concurrent.Semaphore;

/**
 * The budget for copies that are written after their chunk was acknowledged. The budget is separate from that of
 * uploads, so that a slow store delays no other upload. Nothing waits for this budget. Safe for any thread.
 */
public final class LateCopyBudget {
    private final Semaphore room;
    private final ByteBudget bytes;

    /**
     * Creates an unused budget.
     *
     * @param limit concurrent chunks
     * @param limitBytes bytes of the spool directory for them
     */
    public LateCopyBudget(int limit, long limitBytes) {
        room = new Semaphore(limit);
        bytes = new ByteBudget(limitBytes);
    }

    /** Moves a chunk's file into this budget; returns false when there is no room. */
    boolean adopt(Spool.SpoolFile file) {
        if (!room.tryAcquire()) {
            return false;
        }
        boolean moved = file.move(bytes);
        if (!moved) {
            room.release();
        }
        return moved;
    }

    /** Gives back the place of an adopted chunk, whose file is closed. */
    void release() {
        room.release();
    }
}

package io.cloudmw.helper.serve;

import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.helper.block.Spool;
import java.util.concurrent.Semaphore;

/**
 * The room for copies that are still written after their chunk was acknowledged: apart from that of uploads, so that a
 * store that is slow or away holds up nobody else. Nothing waits for it. Safe for any thread.
 */
public final class LateCopyBudget {
    private final Semaphore room;
    private final ByteBudget bytes;

    /**
     * All of it is free.
     *
     * @param limit chunks at once
     * @param limitBytes of the spool directory that they may use
     */
    public LateCopyBudget(int limit, long limitBytes) {
        room = new Semaphore(limit);
        bytes = new ByteBudget(limitBytes);
    }

    /** Takes a chunk in, and its file's bytes from the share they were in; or nothing when there is no room. */
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

    /** A chunk that was adopted is over, and its file closed. */
    void release() {
        room.release();
    }
}

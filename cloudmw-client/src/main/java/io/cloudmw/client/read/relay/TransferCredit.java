package io.cloudmw.client.read.relay;

import io.cloudmw.client.context.CreditPool;

/**
 * The memory of one get: its reservation, and what it borrows up to its own limit. Bytes granted to a relay count
 * until their leaf was handed on and its buffer released. Confined to the transfer.
 */
public final class TransferCredit {
    private final CreditPool pool;
    private final long reserved;
    private final long limit;
    private long borrowed;
    private long used;
    /** Bytes of those that were taken ahead, all of them borrowed. */
    private long ahead;

    private boolean closed;

    /** @param reserved bytes already taken from {@code pool} for this transfer */
    public TransferCredit(CreditPool pool, long reserved, long limit) {
        this.pool = pool;
        this.reserved = reserved;
        this.limit = Math.max(reserved, limit);
    }

    /**
     * Takes up to {@code bytes}, but less than {@code unit} only when {@code bytes} is less; 0 when there is no room.
     */
    public long take(long bytes, long unit) {
        if (closed) {
            return 0;
        }
        long missing = used + bytes - (reserved + borrowed);
        if (missing > 0) {
            borrowed += pool.borrow(Math.min(missing, limit - reserved - borrowed));
        }
        long taken = Math.min(bytes, reserved + borrowed - used);
        if (taken < bytes) {
            taken -= taken % unit;
        }
        used += taken;
        settle();
        return taken;
    }

    /**
     * Takes memory for bytes that are not needed yet: at most half of the limit, nothing of the reservation, and not
     * the last quarter of the pool. So bytes that are needed first always have room.
     */
    public long takeAhead(long bytes, long unit) {
        if (closed) {
            return 0;
        }
        long most = Math.min(limit / 2 - ahead, limit - reserved - borrowed);
        long lent = pool.borrowSpare(Math.max(0, Math.min(bytes, most)));
        long taken = lent < bytes ? lent - lent % unit : lent;
        borrowed += lent;
        ahead += taken;
        used += taken;
        settle();
        return taken;
    }

    /** Counts bytes that were taken ahead as needed now. */
    public void isNeeded(long bytes) {
        ahead -= bytes;
    }

    public void giveBack(long bytes) {
        used -= bytes;
        settle();
    }

    /** The limit on this get's memory. */
    public long limit() {
        return limit;
    }

    /** Bytes granted and not yet given back. */
    public long used() {
        return used;
    }

    /** Gives everything back to the pool, for good. */
    public void close() {
        if (!closed) {
            closed = true;
            pool.giveBack(reserved + borrowed);
            borrowed = 0;
        }
    }

    private void settle() {
        long idle = Math.min(borrowed - ahead, reserved + borrowed - used);
        if (idle > 0 && !closed) {
            borrowed -= idle;
            pool.giveBack(idle);
        }
    }
}

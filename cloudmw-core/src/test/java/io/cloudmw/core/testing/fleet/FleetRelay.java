package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.model.ByteRange;
import java.util.ArrayDeque;
import java.util.Deque;

/** A relay: the leaves sent and those that arrived. */
final class FleetRelay {
    /** The most leaves under way. */
    private static final int CREDIT = 4;

    final long number;
    final FleetFetch fetch;
    boolean accepted;
    /** The sender may send. */
    boolean granted;
    /** Leaves that came before it was accepted. */
    final Deque<Long> early = new ArrayDeque<>();

    boolean closed;
    ByteRange wanted;
    long sentBytes;
    long takenBytes;

    FleetRelay(long number, FleetFetch fetch) {
        this.number = number;
        this.fetch = fetch;
        this.wanted = fetch.block.range();
    }

    void shorten(long end) {
        wanted = new ByteRange(wanted.offset(), Math.max(0, end - wanted.offset()));
    }

    boolean maySend(long leafBytes) {
        long end = wanted.end() - fetch.block.range().offset();
        return granted
                && !closed
                && sentBytes < Math.min(fetch.fetchedBytes, end)
                && sentBytes - takenBytes < CREDIT * leafBytes;
    }
}

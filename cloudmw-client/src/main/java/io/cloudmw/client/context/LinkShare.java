package io.cloudmw.client.context;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** The speed of this machine's network link, divided evenly among the reads under way. Safe for any thread. */
public final class LinkShare {
    private final long bytesPerSecond;
    private final AtomicLong reads = new AtomicLong();

    /** @param bytesPerSecond of the whole link; {@link Long#MAX_VALUE}: unlimited */
    LinkShare(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Counts a read as under way until the future completes. */
    public void add(CompletableFuture<?> settled) {
        reads.incrementAndGet();
        var unused = settled.whenComplete((nothing, failure) -> reads.decrementAndGet());
    }

    /** The share of each read under way. */
    public long bytesPerSecond() {
        return share(Math.max(1, reads.get()));
    }

    /** The share of each read if one more began. */
    public long bytesPerSecondWithOneMore() {
        return share(reads.get() + 1);
    }

    private long share(long among) {
        return bytesPerSecond == Long.MAX_VALUE ? bytesPerSecond : Math.max(1, bytesPerSecond / among);
    }
}

package io.cloudmw.core.bulk;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;

/**
 * What the connections of one process share: event loops, buffer memory, limits and meters. Servers and connectors
 * are made on top of it. Safe for any thread.
 */
@SuppressWarnings("DoNotCallSuggester") // its body follows in the next commit
public final class BulkTransport implements AutoCloseable {
    private final BulkOptions options;

    /**
     * @param name prefix of its threads' names
     * @param threads event loops, 1..64; 2 saturate a loopback
     * @param meters where {@code cloudmw.bulk.*} is counted
     */
    public BulkTransport(String name, int threads, BulkOptions options, MeterRegistry meters) {
        this.options = options;
    }

    public BulkOptions options() {
        return options;
    }

    /** The pool that received payloads come from; senders take their buffers from here too. */
    public ByteBufAllocator allocator() {
        throw new UnsupportedOperationException("coming in the next commit");
    }

    /** Closes every connection and server on it and waits, briefly, for its threads. Not for event loops. Idempotent. */
    @Override
    public void close() {}
}

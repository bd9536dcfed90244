package io.cloudmw.client.channel;

import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.core.model.lock.LockRequest;
import java.time.Duration;

/**
 * The limits of all channels and streams of a {@link FileChannels} together. Immutable.
 *
 * @param memoryBytes bytes that were read and are kept, or are being read ahead, at least 1 MiB; the memory of the
 *     client's transfers ({@code CloudMwOptions.memoryBytes}) is not part of it
 * @param stagingBytes largest number of changed bytes that one channel keeps on the local disk until it is closed or
 *     forced, at least 1 MiB
 * @param lockTerm how long a channel's lock outlives its last renewal, 1 s to 5 min
 * @param streams largest number of files that are stored at once while an application writes them, 1..{@value
 *     #MAX_STREAMS}; each takes a thread of the client and 1 MiB of heap
 */
public record ChannelOptions(long memoryBytes, long stagingBytes, Duration lockTerm, int streams) {
    /** The largest value of {@code streams}. */
    public static final int MAX_STREAMS = 192;

    private static final long SMALLEST_BYTES = 1 << 20;
    private static final ChannelOptions DEFAULTS =
            new ChannelOptions(64L << 20, 4L << 30, LockOptions.DEFAULT_TERM, 24);

    /** Checks the values. */
    public ChannelOptions {
        check("memoryBytes", memoryBytes);
        check("stagingBytes", stagingBytes);
        LockRequest.requireTerm(lockTerm);
        if (streams < 1 || streams > MAX_STREAMS) {
            throw new IllegalArgumentException("streams: " + streams + " (expected: 1.." + MAX_STREAMS + ")");
        }
    }

    private static void check(String name, long bytes) {
        if (bytes < SMALLEST_BYTES) {
            throw new IllegalArgumentException(name + ": " + bytes + " (expected: >= " + SMALLEST_BYTES + ")");
        }
    }

    /** The defaults: 64 MiB of memory, 4 GiB of staging for a channel, locks for 15 s, 24 streams. */
    public static ChannelOptions defaults() {
        return DEFAULTS;
    }

    /** Sets the memory of all channels and streams together. */
    public ChannelOptions withMemory(long bytes) {
        return new ChannelOptions(bytes, stagingBytes, lockTerm, streams);
    }

    /** Sets the changed bytes that one channel may keep on the local disk. */
    public ChannelOptions withStaging(long bytes) {
        return new ChannelOptions(memoryBytes, bytes, lockTerm, streams);
    }

    /** Sets how long a lock of a channel outlives its last renewal. */
    public ChannelOptions withLockTerm(Duration term) {
        return new ChannelOptions(memoryBytes, stagingBytes, term, streams);
    }

    /** Sets the number of files that are stored at once while an application writes them. */
    public ChannelOptions withStreams(int files) {
        return new ChannelOptions(memoryBytes, stagingBytes, lockTerm, files);
    }
}

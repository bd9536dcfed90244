package io.cloudmw.client.context;

import io.cloudmw.core.model.ReadPath;

/**
 * Limits of one client's resources, and its path to them.
 *
 * @param memoryBytes data that all gets together may have in flight
 * @param linkBytesPerSecond speed of this machine's network link; {@link Long#MAX_VALUE}: unlimited
 * @param path of reads that name none
 */
public record ClientLimits(long memoryBytes, long linkBytesPerSecond, ReadPath path) {
    /** Limits of a client with the default path. */
    public ClientLimits(long memoryBytes, long linkBytesPerSecond) {
        this(memoryBytes, linkBytesPerSecond, ReadPath.DEFAULT);
    }
}

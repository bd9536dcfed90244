package io.cloudmw.client.context;

/**
 * Limits of one client's resources.
 *
 * @param memoryBytes data that all gets together may have in flight
 * @param linkBytesPerSecond speed of this machine's network link; {@link Long#MAX_VALUE}: unlimited
 */
public record ClientLimits(long memoryBytes, long linkBytesPerSecond) {}

package io.cloudmw.core.testing;

/**
 * The result of a simulated transfer.
 *
 * @param complete false: it failed, as it may when no process had a safe path
 * @param nanos virtual time it took
 */
public record SimulationResult(
        boolean complete,
        long nanos,
        long steps,
        int blocks,
        int attempts,
        int failures,
        int deliveries,
        int refusals,
        long wastedBytes,
        int abandoned,
        boolean racedLocally) {}

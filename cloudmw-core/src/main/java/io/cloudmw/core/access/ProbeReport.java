package io.cloudmw.core.access;

import java.util.Optional;

/**
 * The finding of one process that checked a store.
 *
 * @param fault the fault; empty: none
 * @param latencyMicros the fastest of the requests; 0: none was answered
 * @param clockAheadMillis how far the store's clock is ahead of the process's; meaningless when no request was
 *     answered
 */
public record ProbeReport(Optional<StoreFault> fault, long latencyMicros, long clockAheadMillis) {
    /** A check that found a fault before any request was answered. */
    public static ProbeReport failed(StoreFault fault) {
        return new ProbeReport(Optional.of(fault), 0, 0);
    }
}

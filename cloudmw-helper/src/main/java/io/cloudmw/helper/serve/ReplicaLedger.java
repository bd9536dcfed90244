package io.cloudmw.helper.serve;

import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.security.TransferClaims;

/** The record of replicas that became durable late, by which they are reported. */
@FunctionalInterface
public interface ReplicaLedger {
    /** Best effort; never blocks. */
    void report(TransferClaims claims, ReplicaReport report);
}

package io.cloudmw.helper.compete;

import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.security.TransferClaims;

/** Where faulty replicas are reported, so that nobody reads them again. */
@FunctionalInterface
public interface ReplicaFaults {
    /** Best effort; never blocks. */
    void report(TransferClaims claims, ReplicaReport report);
}

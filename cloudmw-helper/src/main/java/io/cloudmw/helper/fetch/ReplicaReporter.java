package io.cloudmw.helper.fetch;

import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.security.TransferClaims;

/** The receiver of reports on replicas: faulty ones, and copies that became durable late. */
@FunctionalInterface
public interface ReplicaReporter {
    /** Reports one replica, best effort; never blocks. */
    void report(TransferClaims claims, ReplicaReport report);
}
